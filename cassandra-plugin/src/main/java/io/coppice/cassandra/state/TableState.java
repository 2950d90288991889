// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.policy.ReadBudget;
import io.coppice.policy.Reason;
import io.coppice.policy.observe.CompactionCounts;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.policy.observe.StrategySnapshot.Amplification;
import io.coppice.policy.observe.StrategySnapshot.Counter;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.step.TransientSpaceLimit;
import io.coppice.policy.tuner.RungSwitch;
import java.lang.ref.WeakReference;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.lifecycle.SSTableSet;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State that all strategy instances of one table share: tunables, counters and recent decisions.
 *
 * <p>A table has many instances. Some live for a short time and are never shut down, so state that
 * must outlive them is kept here. There is one object per table, which references the table weakly.
 * Thread-safe.
 */
public final class TableState {

  private static final Logger LOGGER = LoggerFactory.getLogger(TableState.class);

  private static final double MIN_KEPT = 0.01;

  private final String keyspace;
  private final String name;
  private final WeakReference<ColumnFamilyStore> table;
  private final Tunables tunables;
  private final TransientSpaceLedger space = new TransientSpaceLedger();
  private final ReadBudget.Balance readBalance = new ReadBudget.Balance();
  private final Owner owner;
  private final TableTuner tuner = new TableTuner(this, this::switched);
  private final CompactionCounts counts;
  private final LongAdder delayedTables = new LongAdder();
  private final AtomicBoolean refused = new AtomicBoolean();
  private final AtomicBoolean misprojected = new AtomicBoolean();

  // Flushes and their bytes on disk, and the counts of Cassandra included in them.
  @GuardedBy("this")
  private long flushes;

  @GuardedBy("this")
  private long countedFlushes;

  @GuardedBy("this")
  private long flushedBytes;

  @GuardedBy("this")
  private long countedFlushed;

  /** Registry that holds this state, and reaches the strategy instances of the table. */
  public interface Owner {

    /** Makes all instances of the table ask their policy again. */
    void reconsider(TableState state);

    /** Returns whether the table uses one of Coppice's strategies. */
    boolean isRegistered(TableState state);
  }

  public TableState(ColumnFamilyStore table, PolicySpec schema, Owner owner) {
    this.owner = owner;
    this.keyspace = table.getKeyspaceName();
    this.name = table.name;
    this.table = new WeakReference<>(table);
    this.tunables = new Tunables(keyspace + "." + name, schema);
    this.counts =
        new CompactionCounts(
            Clock.Global::currentTimeMillis,
            () -> tunables.current().toString(),
            (metric, amount) -> {});
  }

  /**
   * Starts counting when the table adopts one of Coppice's policies, for the first time or again.
   * Flushes before this call are left out; the counts of earlier times stay.
   */
  public synchronized void begin(ColumnFamilyStore store) {
    // Cassandra creates the strategy of a table before its metrics.
    if (store.metric != null) {
      countedFlushes = store.metric.memtableSwitchCount.getCount();
      countedFlushed = store.metric.bytesFlushed.getCount();
    }
  }

  public String keyspace() {
    return keyspace;
  }

  public String name() {
    return name;
  }

  /** Returns the table, or null once it is dropped. */
  public ColumnFamilyStore table() {
    ColumnFamilyStore store = table.get();
    return store != null && store.isValid() ? store : null;
  }

  public boolean isOf(ColumnFamilyStore store) {
    return table.get() == store;
  }

  public Tunables tunables() {
    return tunables;
  }

  /**
   * Returns the balance of the merges requested by reads, which all instances of the table share.
   */
  public ReadBudget.Balance readBalance() {
    return readBalance;
  }

  /** Returns the tuner, which lets the policy follow the load. */
  public TableTuner tuner() {
    return tuner;
  }

  /** Returns the counters of all merges, moves, delays and drops, with the last decisions. */
  public CompactionCounts counts() {
    return counts;
  }

  /**
   * Returns the share of the bytes read that merges have written, between 0.01 and 1; 1 before the
   * first merge.
   */
  public double keptShare() {
    long read = counts.sum(CompactionMetricId.MERGE_READ_BYTES);
    double written = counts.sum(CompactionMetricId.MERGED_BYTES);
    return read == 0 ? 1 : Math.min(1, Math.max(MIN_KEPT, written / read));
  }

  /** Returns the space ledger that the merges of all instances share. */
  public TransientSpaceLedger space() {
    return space;
  }

  /**
   * Returns the limit on the transient bytes of all merges of the table as of now; {@link
   * Long#MAX_VALUE} for none. An option that is a share refers to the live bytes, see {@link
   * #liveBytes}.
   */
  public long transientLimit() {
    return tunables.current().transientBytes(liveBytes());
  }

  /** Returns the limit on transient bytes as merges apply it, evaluated at each call. */
  public TransientSpaceLimit limit() {
    return new TransientSpaceLimit() {

      @Override
      public long bytes(long widestBytes) {
        return now().bytes(widestBytes);
      }

      @Override
      public boolean isFixed() {
        return now().isFixed();
      }

      private TransientSpaceLimit now() {
        return TransientSpaceLimit.of(tunables.current(), liveBytes());
      }
    };
  }

  /**
   * Returns the bytes of all SSTables on disk; 0 for a dropped table. Data in both an input and an
   * output of a merge counts once.
   */
  public long liveBytes() {
    ColumnFamilyStore store = table();
    long bytes =
        store == null
            ? 0
            : SSTableReader.getTotalBytes(
                store.getTracker().getView().select(SSTableSet.CANONICAL));
    return Math.max(0, bytes - space.deadBytes());
  }

  /** Counts a delay, its SSTables and their bytes on disk. */
  public void delayed(int tables, long bytes) {
    delayedTables.add(tables);
    counts.countDelay(bytes);
  }

  /** Makes all strategy instances of the table ask their policy again. */
  void reconsider() {
    owner.reconsider(this);
  }

  /** Returns whether the table uses one of Coppice's strategies. */
  boolean isRegistered() {
    return owner.isRegistered(this);
  }

  /** Records that the tuner has switched to another policy. */
  private void switched(RungSwitch made) {
    counts.recordRungSwitch(made);
    reconsider();
  }

  /**
   * Counts and logs that a task has failed and that its inputs are left alone for a while.
   *
   * @param level the output level of the task
   */
  public void setBack(
      Collection<SSTableReader> inputs, int level, FailureBackoff.Setback setback, Throwable why) {
    counts.add(CompactionMetricId.FAILED_PLANS, 1);
    Reason reason =
        Reason.ofNumbers(
            "set-back", "a task of them has failed {failures} times", setback.failures());
    String sentence =
        inputs.size()
            + " SSTables are left alone for "
            + TimeUnit.NANOSECONDS.toSeconds(setback.nanos())
            + " s, because "
            + reason.sentence()
            + ", now by "
            + why;
    long bytes = SSTableReader.getTotalBytes(inputs);
    counts.recordDecision("aside", reason, sentence, inputs.size(), bytes, level);
    LOGGER.warn("{}.{}: {}", keyspace, name, sentence);
  }

  /**
   * Counts a plan that {@link io.coppice.policy.check.PlanCheck} refused, and returns whether it is
   * the first.
   *
   * @param sentence the last decision from now on
   */
  public boolean refused(String sentence) {
    counts.lastDecision(sentence);
    counts.add(CompactionMetricId.REFUSED_PLANS, 1);
    return refused.compareAndSet(false, true);
  }

  /**
   * Records that the backlog could not be projected, and returns whether this is the first time.
   */
  public boolean misprojected() {
    return misprojected.compareAndSet(false, true);
  }

  /**
   * Returns the write amplification and the mean number of SSTables per read, with the bytes
   * flushed and merged since the table adopted one of Coppice's policies. Write amplification is 1
   * before the first flush.
   */
  public Amplification amplification() {
    ColumnFamilyStore store = table();
    long merged = counts.sum(CompactionMetricId.MERGED_BYTES);
    // Cassandra creates the strategy of a table before its metrics.
    if (store == null || store.metric == null) {
      return new Amplification(1, 0, 0, merged);
    }
    long flushed = flushedBytes(store);
    return new Amplification(
        flushed == 0 ? 1 : (double) (flushed + merged) / flushed,
        store.metric.sstablesPerReadHistogram.cf.getSnapshot().getMean(),
        flushed,
        merged);
  }

  /** Returns all counters, named like the attributes of the bean, in a fixed order. */
  public List<Counter> counters() {
    ColumnFamilyStore store = table();
    boolean metered = store != null && store.metric != null;
    List<Counter> counters = counts.counters();
    counters.add(new Counter("DelayedTables", delayedTables.sum()));
    counters.add(counter(CompactionMetricId.FLUSHES, metered ? flushes(store) : 0));
    counters.add(counter(CompactionMetricId.FLUSHED_BYTES, metered ? flushedBytes(store) : 0));
    counters.add(
        counter(
            CompactionMetricId.READS, metered ? store.metric.readLatency.latency.getCount() : 0));
    counters.add(new Counter("Writes", metered ? store.metric.writeLatency.latency.getCount() : 0));
    return counters;
  }

  private static Counter counter(CompactionMetricId metric, long value) {
    return new Counter(metric.label(), value);
  }

  private synchronized long flushes(ColumnFamilyStore store) {
    long counted = store.metric.memtableSwitchCount.getCount();
    flushes += counted - countedFlushes;
    countedFlushes = counted;
    return flushes;
  }

  /**
   * Returns the bytes flushed since the table adopted one of Coppice's policies, as on disk.
   * Cassandra counts flushed bytes before compression; the compression ratio of the live SSTables
   * converts them.
   *
   * @param store this table, which must have its metrics
   */
  public synchronized long flushedBytes(ColumnFamilyStore store) {
    long counted = store.metric.bytesFlushed.getCount();
    if (counted > countedFlushed) {
      long onDisk = 0;
      long data = 0;
      for (SSTableReader sstable : store.getLiveSSTables()) {
        onDisk += sstable.onDiskLength();
        data += sstable.uncompressedLength();
      }
      // Cassandra counts the first flush before its SSTable is live, so the ratio may be unknown.
      if (data > 0) {
        flushedBytes += Math.round((double) (counted - countedFlushed) * onDisk / data);
        countedFlushed = counted;
      }
    }
    return flushedBytes;
  }

  /**
   * Returns the value of one of {@link #counters}.
   *
   * @throws IllegalArgumentException if no counter has the name
   */
  public long counter(String counter) {
    for (Counter one : counters()) {
      if (one.name().equals(counter)) {
        return one.value();
      }
    }
    throw new IllegalArgumentException(counter);
  }
}
