// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import io.coppice.policy.ReadBudget;
import io.coppice.policy.Reason;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.policy.observe.CompactionThroughput;
import io.coppice.policy.observe.StrategySnapshot.Amplification;
import io.coppice.policy.observe.StrategySnapshot.Counter;
import io.coppice.policy.observe.StrategySnapshot.Decision;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.tuner.RungSwitch;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
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

  private static final int KEPT_DECISIONS = 100;
  private static final double MIN_KEPT = 0.01;

  private final String keyspace;
  private final String name;
  private final WeakReference<ColumnFamilyStore> table;
  private final Tunables tunables;
  private final CompactionThroughput pace = new CompactionThroughput();
  private final TransientSpaceLedger space = new TransientSpaceLedger();
  private final ReadBudget.Balance readBalance = new ReadBudget.Balance();
  private final Owner owner;
  private final TableTuner tuner = new TableTuner(this, this::switched);
  private final LongAdder merges = new LongAdder();
  private final LongAdder readBytes = new LongAdder();
  private final LongAdder mergedBytes = new LongAdder();
  private final LongAdder moves = new LongAdder();
  private final LongAdder movedBytes = new LongAdder();
  private final LongAdder delays = new LongAdder();
  private final LongAdder delayedTables = new LongAdder();
  private final LongAdder delayedBytes = new LongAdder();
  private final LongAdder drops = new LongAdder();
  private final LongAdder droppedBytes = new LongAdder();
  private final LongAdder mergeSteps = new LongAdder();
  private final LongAdder failedPlans = new LongAdder();
  private final LongAdder readMerges = new LongAdder();
  private final LongAdder switches = new LongAdder();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicBoolean misprojected = new AtomicBoolean();
  // Guarded by itself; newest first.
  private final Deque<Decision> decisions = new ArrayDeque<>();
  private long decided;
  private volatile String lastDecision = "";

  // Guarded by this: flushes and their bytes on disk, and the counts of Cassandra included in them.
  private long flushes;
  private long countedFlushes;
  private long flushedBytes;
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
  }

  /**
   * Starts counting when the table adopts one of Coppice's policies, for the first time or again.
   * Earlier flushes do not count.
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
   * Returns the balance of the merges that reads request, which all instances of the table share.
   */
  public ReadBudget.Balance readBalance() {
    return readBalance;
  }

  /** Returns the tuner, which lets the policy follow the load. */
  public TableTuner tuner() {
    return tuner;
  }

  public CompactionThroughput pace() {
    return pace;
  }

  /**
   * Counts a step of a merge.
   *
   * @param read bytes on disk that the step has read
   * @param written bytes on disk that the step has written
   */
  public void merged(long read, long written) {
    mergeSteps.increment();
    readBytes.add(read);
    mergedBytes.add(written);
    pace.wrote(written);
  }

  /**
   * Returns the share of the bytes read that merges have written, between 0.01 and 1; 1 before the
   * first merge.
   */
  public double keptShare() {
    long read = readBytes.sum();
    return read == 0 ? 1 : Math.min(1, Math.max(MIN_KEPT, (double) mergedBytes.sum() / read));
  }

  /** Counts a merge whose last step has ended. */
  public void mergeEnded() {
    merges.increment();
  }

  /** Returns the space ledger that the merges of all instances share. */
  public TransientSpaceLedger space() {
    return space;
  }

  /**
   * Returns the limit on the transient bytes of all merges of the table as of now. An option that
   * is a share refers to the live bytes, see {@link #liveBytes}.
   */
  public long transientLimit() {
    return tunables.current().transientBytes(liveBytes());
  }

  /**
   * Returns the limit on transient bytes as merges apply it, evaluated at each call. If the option
   * is a share of the live bytes, the limit is at least two SSTables of the usual size, because
   * below that no two runs could be merged.
   */
  public TransientSpaceLimit limit() {
    return new TransientSpaceLimit() {

      @Override
      public long bytes(long widestBytes) {
        PolicySpec spec = tunables.current();
        long limit = transientLimit();
        return spec.transientBytes(0) == 0
            ? Math.max(limit, UsableFreeSpace.floor(widestBytes, spec.tableBytes()))
            : limit;
      }

      @Override
      public boolean isFixed() {
        long fixed = tunables.current().transientBytes(0);
        return fixed > 0 && fixed < Long.MAX_VALUE;
      }
    };
  }

  /**
   * Returns the bytes of all SSTables. Data in both an input and an output of a merge counts once.
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

  public void moved(long bytes) {
    movedBytes.add(bytes);
    moves.increment();
  }

  public void delayed(int tables, long bytes) {
    delayedTables.add(tables);
    delayedBytes.add(bytes);
    delays.increment();
  }

  public void dropped(long bytes) {
    droppedBytes.add(bytes);
    drops.increment();
  }

  /**
   * Records a plan that was started.
   *
   * @param kind {@code move}, {@code delay}, {@code merge}, {@code drop}, {@code aside} for failed
   *     inputs or {@code switch} for another policy
   * @param sentence the action and its reason
   * @param tables the number of inputs
   * @param bytes the bytes of the inputs
   * @param level the level of the outputs
   */
  public void decided(
      String kind, Reason reason, String sentence, int tables, long bytes, int level) {
    lastDecision = sentence;
    if (reason.code().equals(Reason.READ_REQUEST)) {
      readMerges.increment();
    }
    synchronized (decisions) {
      decisions.addFirst(
          new Decision(
              ++decided,
              Clock.Global.currentTimeMillis(),
              kind,
              reason.code(),
              sentence,
              tables,
              bytes,
              level,
              reason.cost().transientBytes(),
              tunables.current().toString()));
      if (decisions.size() > KEPT_DECISIONS) {
        decisions.removeLast();
      }
    }
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
    switches.increment();
    decided("switch", made.reason(), made.reason().sentence(), 0, 0, 0);
    reconsider();
  }

  /** Records that a task has failed and that its inputs are left alone for a while. */
  public void setBack(
      Collection<SSTableReader> inputs, int level, FailureBackoff.Setback setback, Throwable why) {
    failedPlans.increment();
    Reason reason =
        Reason.of(
            "set-back",
            "a task of them has failed {failures} times",
            "failures",
            setback.failures());
    String sentence =
        inputs.size()
            + " SSTables are left alone for "
            + TimeUnit.NANOSECONDS.toSeconds(setback.nanos())
            + " s, because "
            + reason.sentence()
            + ", now by "
            + why;
    decided("aside", reason, sentence, inputs.size(), SSTableReader.getTotalBytes(inputs), level);
    LOGGER.warn("{}.{}: {}", keyspace, name, sentence);
  }

  /** Sets the text of the last decision, which {@code getLastDecision} of the bean returns. */
  public void decided(String sentence) {
    lastDecision = sentence;
  }

  /**
   * Counts a plan that {@link io.coppice.policy.check.PlanCheck} refused, and returns whether it is
   * the first.
   */
  public boolean refused(String sentence) {
    lastDecision = sentence;
    return refused.incrementAndGet() == 1;
  }

  /**
   * Records that the backlog could not be projected, and returns whether this is the first time.
   */
  public boolean misprojected() {
    return misprojected.compareAndSet(false, true);
  }

  public String lastDecision() {
    return lastDecision;
  }

  /** Returns the recent decisions, newest first. */
  public List<Decision> decisions() {
    synchronized (decisions) {
      return new ArrayList<>(decisions);
    }
  }

  public Amplification amplification() {
    ColumnFamilyStore store = table();
    // Cassandra creates the strategy of a table before its metrics.
    if (store == null || store.metric == null) {
      return new Amplification(1, 0, 0, mergedBytes.sum());
    }
    long flushed = flushedBytes(store);
    long merged = mergedBytes.sum();
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
    return List.of(
        counter(CompactionMetricId.MERGES, merges.sum()),
        counter(CompactionMetricId.MERGE_STEPS, mergeSteps.sum()),
        counter(CompactionMetricId.MERGE_READ_BYTES, readBytes.sum()),
        counter(CompactionMetricId.MERGED_BYTES, mergedBytes.sum()),
        counter(CompactionMetricId.MOVES, moves.sum()),
        counter(CompactionMetricId.MOVED_BYTES, movedBytes.sum()),
        counter(CompactionMetricId.DELAYS, delays.sum()),
        new Counter("DelayedTables", delayedTables.sum()),
        counter(CompactionMetricId.DELAYED_BYTES, delayedBytes.sum()),
        counter(CompactionMetricId.DROPS, drops.sum()),
        counter(CompactionMetricId.DROPPED_BYTES, droppedBytes.sum()),
        counter(CompactionMetricId.READ_MERGES, readMerges.sum()),
        counter(CompactionMetricId.FAILED_PLANS, failedPlans.sum()),
        counter(CompactionMetricId.REFUSED_PLANS, refused.get()),
        new Counter("Switches", switches.sum()),
        counter(CompactionMetricId.FLUSHES, metered ? flushes(store) : 0),
        counter(CompactionMetricId.FLUSHED_BYTES, metered ? flushedBytes(store) : 0),
        counter(
            CompactionMetricId.READS, metered ? store.metric.readLatency.latency.getCount() : 0),
        new Counter("Writes", metered ? store.metric.writeLatency.latency.getCount() : 0));
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

  public long counter(String counter) {
    for (Counter one : counters()) {
      if (one.name().equals(counter)) {
        return one.value();
      }
    }
    throw new IllegalArgumentException(counter);
  }
}
