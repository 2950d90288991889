// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.compaction.Compactor;
import io.coppice.metrics.StoreMetrics;
import io.coppice.policy.Backlog;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.RunFacts;
import io.coppice.policy.observe.CompactionCounts;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.policy.observe.CounterWindow;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of one family under the names of {@link CompactionMetricId}. All requests within a second
 * share one computation of the family's shape. Safe to share between threads.
 */
final class FamilyMetrics {

  private static final long SECOND = 1_000_000_000L;

  private record Sample(
      long nanos, Backlog backlog, long headroomLimitBytes, int runs, double space) {}

  private final FamilyParts family;
  private final Compactor compactor;
  private final LongSupplier headroomLimit;
  private final LongSupplier nanoTime;
  private final CounterWindow hour = new CounterWindow(CounterWindow.HOUR);
  private final CounterWindow day = new CounterWindow(CounterWindow.DAY);

  @GuardedBy("this")
  private @Nullable Sample last;

  @GuardedBy("this")
  private double spaceSeconds;

  @GuardedBy("this")
  private double seconds;

  /**
   * Creates the metrics of a family; their windows begin now.
   *
   * @param headroomLimit returns the transient disk space in bytes that merges may take
   */
  FamilyMetrics(
      FamilyParts family, Compactor compactor, LongSupplier headroomLimit, LongSupplier nanoTime) {
    this.family = family;
    this.compactor = compactor;
    this.headroomLimit = headroomLimit;
    this.nanoTime = nanoTime;
    written();
  }

  /** Adds all metrics of the family to the store's registry. */
  void register(StoreMetrics metrics) {
    CompactionCounts counts = family.counts().sums();
    for (CompactionMetricId metric : CompactionCounts.COUNTED) {
      now(metrics, metric, () -> counts.sum(metric));
    }
    now(metrics, CompactionMetricId.FLUSHES, family.writeState()::flushes);
    now(metrics, CompactionMetricId.FLUSHED_BYTES, family.writeState()::flushedBytes);
    now(metrics, CompactionMetricId.LIVE_BYTES, this::liveBytes);
    now(metrics, CompactionMetricId.PINNED_BYTES, family.versions()::pinnedBytes);
    now(metrics, CompactionMetricId.RUNS, () -> sample().runs);
    now(metrics, CompactionMetricId.PENDING_PLANS, () -> sample().backlog.plans());
    now(metrics, CompactionMetricId.BACKLOG_BYTES, () -> sample().backlog.bytes());
    now(
        metrics,
        CompactionMetricId.BACKLOG_SECONDS,
        () -> counts.throughput().seconds(sample().backlog.bytes()));
    now(metrics, CompactionMetricId.HEADROOM_BYTES, () -> sample().backlog.headroomBytes());
    now(metrics, CompactionMetricId.HEADROOM_LIMIT_BYTES, () -> sample().headroomLimitBytes);
    ratio(metrics, CompactionMetricId.WRITE_AMPLIFICATION, figures -> figures.write(null));
    ratio(metrics, CompactionMetricId.WRITE_AMPLIFICATION_1H, figures -> figures.write(hour));
    ratio(metrics, CompactionMetricId.WRITE_AMPLIFICATION_24H, figures -> figures.write(day));
    ratio(metrics, CompactionMetricId.SPACE_AMPLIFICATION, figures -> figures.sample().space);
    ratio(metrics, CompactionMetricId.SPACE_AMPLIFICATION_1H, figures -> figures.space(hour));
    ratio(metrics, CompactionMetricId.SPACE_AMPLIFICATION_24H, figures -> figures.space(day));
  }

  private void now(StoreMetrics metrics, CompactionMetricId metric, LongSupplier value) {
    metrics.number(family.name(), metric, value::getAsLong);
  }

  private void ratio(
      StoreMetrics metrics, CompactionMetricId metric, ToDoubleFunction<FamilyMetrics> value) {
    metrics.number(family.name(), metric, () -> value.applyAsDouble(this));
  }

  private long mergedBytes() {
    return family.counts().sums().sum(CompactionMetricId.MERGED_BYTES);
  }

  private long liveBytes() {
    return family.versions().current().tableBytes();
  }

  /** Records a finished flush or merge step in the windows of an hour and a day. */
  void written() {
    grown(hour);
    grown(day);
  }

  private Sample sample() {
    long now = nanoTime.getAsLong();
    synchronized (this) {
      if (last != null && now - last.nanos < SECOND) {
        return last;
      }
    }
    // The compactor has its own lock, so this one is not held here.
    Backlog backlog = compactor.backlog(family.number());
    int runs = 0;
    long largest = 0;
    for (LevelFacts level : compactor.shape(family.number()).levels()) {
      for (RunFacts run : level.runs()) {
        runs += run.segments().isEmpty() ? 0 : 1;
        largest = Math.max(largest, run.bytes());
      }
    }
    double space = largest == 0 ? 1 : (double) liveBytes() / largest;
    return noted(new Sample(now, backlog, headroomLimit.getAsLong(), runs, space));
  }

  private synchronized Sample noted(Sample sample) {
    if (last != null && sample.nanos > last.nanos) {
      double passed = (sample.nanos - last.nanos) / (double) SECOND;
      seconds += passed;
      spaceSeconds += passed * last.space;
    }
    last = sample;
    return sample;
  }

  /**
   * Returns the growth of four sums in a window: bytes flushed, bytes flushed and merged, seconds,
   * and the integral of space amplification over seconds.
   */
  private synchronized double[] grown(CounterWindow window) {
    long flushed = family.writeState().flushedBytes();
    double written = flushed + mergedBytes();
    return window.since(nanoTime.getAsLong(), flushed, written, seconds, spaceSeconds);
  }

  /**
   * Returns the bytes flushed and merged per byte flushed in a window. It is NaN if nothing was
   * flushed there.
   *
   * @param window window, or null for the time since the store was opened; without flushes since
   *     then the result is 1
   */
  private double write(@Nullable CounterWindow window) {
    if (window == null) {
      long flushed = family.writeState().flushedBytes();
      return flushed == 0 ? 1 : (flushed + mergedBytes()) / (double) flushed;
    }
    double[] grown = grown(window);
    return grown[0] == 0 ? Double.NaN : grown[1] / grown[0];
  }

  private double space(CounterWindow window) {
    double now = sample().space;
    double[] grown = grown(window);
    return grown[2] == 0 ? now : grown[3] / grown[2];
  }
}
