// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.policy.Allowance;
import io.coppice.policy.LoadSample;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.Rewrites;
import io.coppice.policy.Switch;
import io.coppice.policy.Tuner;
import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.lifecycle.Tracker;
import org.apache.cassandra.db.memtable.Memtable;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.metrics.TableMetrics;
import org.apache.cassandra.utils.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the policy of one table follow its load, where it is {@code adaptive}: takes a sample of
 * Cassandra's own metrics every few seconds and puts what the {@link Tuner} hands out in force as
 * an operator would, so it ends with the node's process. Samples are taken on Cassandra's thread
 * for small tasks, from {@link #follow} on for as long as there is a policy to tune. The first
 * exception ends that for good. Thread-safe.
 */
final class TableTuner {

  private static final Logger LOGGER = LoggerFactory.getLogger(TableTuner.class);

  private static final long MICRO_NANOS = 1000;

  private final TableFigures figures;
  private final Consumer<Switch> switched;
  private final Rewrites rewrites = new Rewrites(() -> this.flushedBytes);
  private final Tuner tuner = new Tuner(rewrites);

  // On disk; written under the lock of this.
  private volatile long flushedBytes;

  // All below: guarded by this.
  private boolean following;
  private boolean ended;

  // What memtables have taken, and of the last one seen how much of it was counted.
  private long writtenBytes;
  private WeakReference<Memtable> memtable = new WeakReference<>(null);
  private long countedBytes;

  // What flushes keep, and of which table that is.
  private FlushCounts flushes;
  private WeakReference<Tracker> flushing = new WeakReference<>(null);

  /**
   * Follows nothing yet.
   *
   * @param switched told of a switch once it is in force
   */
  TableTuner(TableFigures figures, Consumer<Switch> switched) {
    this.figures = figures;
    this.switched = switched;
  }

  /** What merges may read; flushes count once they are in a sample. */
  Rewrites rewrites() {
    return rewrites;
  }

  /** Begins to follow the load, unless it does or the policy is not one that does. */
  synchronized void follow() {
    if (following) {
      return;
    }
    if (!ended && Tuner.tunes(figures.tunables().current())) {
      following = true;
      later(1);
    } else {
      // What another policy was allowed before the table left us.
      rewrites.allow(Allowance.ANY);
    }
  }

  private void later(long seconds) {
    ScheduledExecutors.optionalTasks.schedule(this::round, seconds, TimeUnit.SECONDS);
  }

  private void round() {
    look(Clock.Global.nanoTime());
    synchronized (this) {
      // Not as it was before: who has changed it back meanwhile has found it followed.
      PolicySpec inForce = figures.tunables().current();
      following = !ended && Tables.isRegistered(figures) && Tuner.tunes(inForce);
      if (following) {
        later(Tuner.sampleSeconds(inForce));
      }
    }
  }

  /**
   * Takes a sample, and puts in force what it leads to. What merges may read is right from then on,
   * so this is also to be called after somebody else has changed the policy.
   */
  void look(long nowNanos) {
    try {
      observe(nowNanos);
    } catch (RuntimeException | Error e) {
      synchronized (this) {
        ended = true;
        rewrites.allow(Allowance.ANY);
      }
      LOGGER.warn(
          "{}.{}: the policy does not follow the load any more, until the node restarts",
          figures.keyspace(),
          figures.name(),
          e);
      StrategyBean.reconsider(figures);
    }
  }

  private void observe(long nowNanos) {
    Switch made;
    boolean another;
    synchronized (this) {
      ColumnFamilyStore table = figures.table();
      // A table makes its strategy before its metrics.
      if (ended || table == null || table.metric == null) {
        return;
      }
      PolicySpec inForce = figures.tunables().current();
      long paid = flushedBytes;
      Allowance before = rewrites.allowance();
      int named = Tuner.tunes(inForce) ? Tuner.shards(inForce) : 1;
      int shards = named > 1 && isWhole(table) ? named : 1;
      made = tuner.observe(inForce, sample(table, shards, nowNanos)).orElse(null);
      another =
          !before.equals(rewrites.allowance())
              || (flushedBytes > paid && !before.equals(Allowance.ANY));
      if (made != null && !figures.tunables().turn(made)) {
        made = null;
      }
    }
    // Not under the lock, as these ask strategies.
    if (made != null) {
      switched.accept(made);
    } else if (another) {
      // What was not allowed may be now, and nobody else would ask.
      StrategyBean.reconsider(figures);
    }
  }

  private LoadSample sample(ColumnFamilyStore table, int shards, long nowNanos) {
    TableMetrics metric = table.metric;
    if (flushing.get() != table.getTracker()) {
      flushing = new WeakReference<>(table.getTracker());
      flushes = FlushCounts.of(table.getTracker());
    }
    long tableBytes = 0;
    long entries = 0;
    for (SSTableReader sstable : table.getLiveSSTables()) {
      tableBytes += sstable.onDiskLength();
      entries += FlushCounts.entries(sstable);
    }
    return new LoadSample(
        nowNanos,
        metric.writeLatency.latency.getCount(),
        written(table.getTracker().getView().getCurrentMemtable()),
        metric.readLatency.latency.getCount(),
        // Cassandra does not tell how many of them find nothing,
        0,
        metric.rangeLatency.latency.getCount(),
        // nor how far a range goes.
        0,
        metric.readLatency.totalLatency.getCount() * MICRO_NANOS,
        metric.memtableSwitchCount.getCount(),
        flushedBytes = figures.flushedBytes(table),
        flushes.sealedEntries(),
        flushes.flushedEntries(),
        // nor which keys were looked up.
        0,
        0,
        tableBytes,
        entries,
        flushes.shards().look(nowNanos, shards, table.getLiveSSTables()));
  }

  /**
   * True if one strategy plans all SSTables, so that what parts them into shards parts the table.
   * Cassandra makes one for each data directory and each state of repair, and each would find other
   * ends.
   */
  static boolean isWhole(ColumnFamilyStore table) {
    return table.getDiskBoundaries().directories.size() < 2
        && table.getLiveSSTables().stream()
            .noneMatch(sstable -> sstable.isRepaired() || sstable.isPendingRepair());
  }

  /** Cassandra counts writes, but not their bytes; memtables know how much they have taken. */
  private long written(Memtable current) {
    Memtable last = memtable.get();
    if (last != null) {
      count(last);
    }
    if (last != current) {
      memtable = new WeakReference<>(current);
      countedBytes = 0;
      count(current);
    }
    return writtenBytes;
  }

  private void count(Memtable taken) {
    long now = taken.getLiveDataSize();
    writtenBytes += Math.max(0, now - countedBytes);
    countedBytes = now;
  }
}
