// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.observe;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.cassandra.state.TableState;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.policy.observe.CounterWindow;
import io.coppice.policy.observe.StrategySnapshot;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.io.sstable.filter.BloomFilterTracker;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.sstable.format.SSTableReaderWithFilter;
import org.apache.cassandra.utils.Clock;

/**
 * Sampler of table statistics that are expensive to compute. It takes at most one sample per
 * second, however many metrics ask for it. Thread-safe.
 */
public final class TableStatsSampler {

  private static final long SECOND = 1_000_000_000L;

  /**
   * One sample; {@link CompactionMetricId} defines the numbers.
   *
   * @param nanos the time of the sample, in nanoseconds of Cassandra's clock
   * @param space live bytes per byte of the largest run; 1 without runs
   */
  public record Sample(
      long nanos,
      long liveBytes,
      long pinnedBytes,
      int runs,
      int plans,
      long backlogBytes,
      long headroomBytes,
      long headroomLimitBytes,
      double space,
      long filterTruePositives,
      long filterFalsePositives,
      long filterBytes) {}

  /**
   * Costs of writing, space and reading in a window.
   *
   * @param write bytes flushed and merged per flushed byte; NaN without flushes
   * @param space live bytes per byte of the largest run, mean over time
   * @param tablesPerRead SSTables checked per read; NaN without reads
   */
  record Costs(double write, double space, double tablesPerRead) {}

  private final TableState state;
  private final CounterWindow hour = new CounterWindow(CounterWindow.HOUR);
  private final CounterWindow day = new CounterWindow(CounterWindow.DAY);

  @GuardedBy("this")
  private Sample last;

  @GuardedBy("this")
  private double seconds;

  @GuardedBy("this")
  private double spaceSeconds;

  @GuardedBy("this")
  private long reads;

  @GuardedBy("this")
  private double tablesRead;

  public TableStatsSampler(TableState state) {
    this.state = state;
  }

  /** Returns a sample that is less than a second old; this thread takes it if there is none. */
  public Sample now() {
    long now = Clock.Global.nanoTime();
    synchronized (this) {
      if (last != null && now - last.nanos < SECOND) {
        return last;
      }
    }
    return noted(sample(now));
  }

  Costs hour() {
    return costs(hour);
  }

  Costs day() {
    return costs(day);
  }

  private Sample sample(long now) {
    StrategySnapshot snapshot = StrategyBean.snapshotOf(state);
    StrategySnapshot.Backlog backlog = snapshot.backlog();
    long largest = snapshot.runs().stream().mapToLong(StrategySnapshot.Run::bytes).max().orElse(0);
    ColumnFamilyStore table = state.table();
    long pinned = 0;
    long truePositives = 0;
    long falsePositives = 0;
    long filterBytes = 0;
    // Cassandra creates the strategy of a table before its metrics.
    if (table != null && table.metric != null) {
      pinned =
          table.metric.totalDiskSpaceUsed.getCount() - table.metric.liveDiskSpaceUsed.getCount();
      for (SSTableReader sstable : table.getLiveSSTables()) {
        if (sstable instanceof SSTableReaderWithFilter filtered) {
          BloomFilterTracker tracker = filtered.getFilterTracker();
          truePositives += tracker.getTruePositiveCount();
          falsePositives += tracker.getFalsePositiveCount();
          filterBytes += filtered.getFilterOffHeapSize();
        }
      }
    }
    return new Sample(
        now,
        backlog.liveBytes(),
        Math.max(0, pinned),
        snapshot.runs().size(),
        backlog.plans(),
        backlog.bytes(),
        backlog.headroomBytes(),
        backlog.freeBytes() < 0
            ? backlog.allowedBytes()
            : Math.min(backlog.allowedBytes(), backlog.freeBytes()),
        largest == 0 ? 1 : (double) backlog.liveBytes() / largest,
        truePositives,
        falsePositives,
        filterBytes);
  }

  private synchronized Sample noted(Sample sample) {
    long readsNow = state.counter(CompactionMetricId.READS.label());
    if (last != null && sample.nanos > last.nanos) {
      double passed = (sample.nanos - last.nanos) / (double) SECOND;
      seconds += passed;
      spaceSeconds += passed * last.space;
      // Cassandra reports the recent mean of SSTables per read, and has no sum.
      double each = state.amplification().tablesPerRead();
      tablesRead += (readsNow - reads) * (Double.isNaN(each) ? 0 : each);
    }
    reads = readsNow;
    last = sample;
    grown(hour);
    grown(day);
    return sample;
  }

  @GuardedBy("this")
  private double[] grown(CounterWindow window) {
    StrategySnapshot.Amplification sums = state.amplification();
    double written = (double) sums.flushedBytes() + sums.mergedBytes();
    return window.since(
        last.nanos, sums.flushedBytes(), written, seconds, spaceSeconds, reads, tablesRead);
  }

  private Costs costs(CounterWindow window) {
    Sample sample = now();
    double[] grown;
    synchronized (this) {
      grown = grown(window);
    }
    return new Costs(
        grown[0] == 0 ? Double.NaN : grown[1] / grown[0],
        grown[2] == 0 ? sample.space : grown[3] / grown[2],
        grown[4] == 0 ? Double.NaN : grown[5] / grown[4]);
  }
}
