// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

/**
 * Base of a strategy's JMX bean that returns the values of {@link CompactionCounts}, in the store
 * and in Cassandra. Thread-safe.
 */
public abstract class CountedStrategyBean implements StrategyMXBean {

  private final CompactionCounts counts;

  protected CountedStrategyBean(CompactionCounts counts) {
    this.counts = counts;
  }

  @Override
  public final long getMerges() {
    return counts.sum(CompactionMetricId.MERGES);
  }

  @Override
  public final long getMergedBytes() {
    return counts.sum(CompactionMetricId.MERGED_BYTES);
  }

  @Override
  public final long getMoves() {
    return counts.sum(CompactionMetricId.MOVES);
  }

  @Override
  public final long getMovedBytes() {
    return counts.sum(CompactionMetricId.MOVED_BYTES);
  }

  @Override
  public final long getDelays() {
    return counts.sum(CompactionMetricId.DELAYS);
  }

  @Override
  public final long getReadMerges() {
    return counts.sum(CompactionMetricId.READ_MERGES);
  }

  @Override
  public final long getRefusedPlans() {
    return counts.sum(CompactionMetricId.REFUSED_PLANS);
  }

  @Override
  public final String getLastDecision() {
    return counts.lastDecision();
  }
}
