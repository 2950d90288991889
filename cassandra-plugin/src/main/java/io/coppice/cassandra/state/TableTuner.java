// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.tuner.LoadSample;
import io.coppice.policy.tuner.RewriteAllowance;
import io.coppice.policy.tuner.RewriteBudget;
import io.coppice.policy.tuner.RungSwitch;
import io.coppice.policy.tuner.Tuner;
import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.lifecycle.Tracker;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.metrics.TableMetrics;
import org.apache.cassandra.utils.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tuner of one table, which lets an {@code adaptive} policy follow the load.
 *
 * <p>Every few seconds it takes a sample of Cassandra's metrics. It activates the policy that the
 * {@link Tuner} returns in the way an operator would, so the change ends with the node's process.
 * From {@link #follow} on, for as long as the policy is adaptive, Cassandra's executor for optional
 * tasks takes the samples. A change by an operator takes a sample at once, on its own thread. The
 * first exception ends the tuning until the node restarts. Thread-safe.
 */
public final class TableTuner {

  private static final Logger LOGGER = LoggerFactory.getLogger(TableTuner.class);

  private static final long MICRO_NANOS = 1000;

  private final TableState state;
  private final Consumer<RungSwitch> switched;
  private final RewriteBudget budget = new RewriteBudget(() -> this.flushedBytes);
  private final Tuner tuner = new Tuner(budget);

  // Bytes on disk; written under the monitor of this.
  private volatile long flushedBytes;

  @GuardedBy("this")
  private boolean following;

  @GuardedBy("this")
  private boolean ended;

  // Counters of flushes, and the tracker to which they belong.
  @GuardedBy("this")
  private FlushCounts flushes;

  @GuardedBy("this")
  private WeakReference<Tracker> flushing = new WeakReference<>(null);

  /**
   * Creates a tuner that does not yet follow the load.
   *
   * @param switched called after a switch has become active, without a lock of this class
   */
  TableTuner(TableState state, Consumer<RungSwitch> switched) {
    this.state = state;
    this.switched = switched;
  }

  /** Returns the rewrite budget of the table. A flush adds to it with the next sample. */
  public RewriteBudget budget() {
    return budget;
  }

  /**
   * Starts to follow the load if the policy is adaptive and tuning has not ended by an exception.
   * Otherwise it lifts the limit on rewrites that an earlier policy may have left. It has no effect
   * while the tuner already follows the load.
   */
  public synchronized void follow() {
    if (following) {
      return;
    }
    if (!ended && Tuner.tunes(state.tunables().current())) {
      following = true;
      later(1);
    } else {
      // A table that changed its strategy in between still has the allowance of an earlier policy.
      budget.allow(RewriteAllowance.ANY);
    }
  }

  private void later(long seconds) {
    ScheduledExecutors.optionalTasks.schedule(this::scheduledSample, seconds, TimeUnit.SECONDS);
  }

  private void scheduledSample() {
    takeSample(Clock.Global.nanoTime());
    synchronized (this) {
      // Reads the current policy: a caller that changed it back in the meantime found {@code
      // following} still set.
      PolicySpec inForce = state.tunables().current();
      following = !ended && state.isRegistered() && Tuner.tunes(inForce);
      if (following) {
        later(Tuner.sampleSeconds(inForce));
      }
    }
  }

  /**
   * Takes a sample and activates the policy that the tuner derives. Afterwards the rewrite budget
   * fits the active policy, so callers that change the policy by other means must call this too. A
   * failure is logged and ends the tuning.
   *
   * @param nowNanos the time of Cassandra's clock
   */
  public void takeSample(long nowNanos) {
    try {
      observe(nowNanos);
    } catch (RuntimeException | Error e) {
      synchronized (this) {
        ended = true;
        budget.allow(RewriteAllowance.ANY);
      }
      LOGGER.warn(
          "{}.{}: the tuner failed and stops until the node restarts",
          state.keyspace(),
          state.name(),
          e);
      state.reconsider();
    }
  }

  private void observe(long nowNanos) {
    RungSwitch made;
    boolean another;
    synchronized (this) {
      ColumnFamilyStore table = state.table();
      // Cassandra creates the strategy of a table before its metrics.
      if (ended || table == null || table.metric == null) {
        return;
      }
      PolicySpec inForce = state.tunables().current();
      long paid = flushedBytes;
      RewriteAllowance before = budget.allowance();
      int named = Tuner.tunes(inForce) ? Tuner.shards(inForce) : 1;
      int shards = named > 1 && isWhole(table) ? named : 1;
      made = tuner.observe(inForce, sample(table, shards, nowNanos)).orElse(null);
      another =
          !before.equals(budget.allowance())
              || (flushedBytes > paid && !before.equals(RewriteAllowance.ANY));
      if (made != null && !state.tunables().turn(made)) {
        made = null;
      }
    }
    // The lock is released first, because these calls enter the strategies.
    if (made != null) {
      switched.accept(made);
    } else if (another) {
      // Plans that were not allowed may be allowed now, and no other event would make the strategy
      // ask.
      state.reconsider();
    }
  }

  @GuardedBy("this")
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
        flushes.writtenBytes(table.getTracker().getView()),
        metric.readLatency.latency.getCount(),
        // Cassandra does not count reads that find nothing,
        0,
        metric.rangeLatency.latency.getCount(),
        // nor the length of a range read.
        0,
        metric.readLatency.totalLatency.getCount() * MICRO_NANOS,
        metric.memtableSwitchCount.getCount(),
        flushedBytes = state.flushedBytes(table),
        flushes.sealedEntries(),
        flushes.flushedEntries(),
        // nor the keys of lookups.
        0,
        0,
        tableBytes,
        entries,
        flushes.shards().sample(nowNanos, shards, table.getLiveSSTables()));
  }

  /**
   * Returns whether one strategy instance plans all SSTables, so that its shards divide the whole
   * table. Cassandra creates one instance per data directory and repair state, and each of several
   * would choose other boundaries.
   */
  static boolean isWhole(ColumnFamilyStore table) {
    return table.getDiskBoundaries().directories.size() < 2
        && table.getLiveSSTables().stream()
            .noneMatch(sstable -> sstable.isRepaired() || sstable.isPendingRepair());
  }
}
