// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

/**
 * Compaction metrics, with one name in every host. In Cassandra each describes one table. In a
 * store, a metric describes one family, or all families together if it is shared. {@code
 * docs/reference/metrics.md} is generated from this list.
 */
public enum CompactionMetricId {
  /** Merges: plans that rewrite tables. */
  MERGES("Merges", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "plans"),
  /**
   * Durable steps of merges. Each step adds its outputs and removes the inputs it has consumed
   * (early cleaning).
   */
  MERGE_STEPS("MergeSteps", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "steps"),
  /** Bytes of the tables that merge steps consumed. */
  MERGE_READ_BYTES(
      "MergeReadBytes", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "bytes"),
  /** Bytes of the tables that merges wrote. */
  MERGED_BYTES("MergedBytes", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "bytes"),
  /** Moves: changes of level by metadata alone. A store counts plans, Cassandra counts tables. */
  MOVES("Moves", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "plans"),
  /** Bytes of the tables moved. */
  MOVED_BYTES("MovedBytes", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "bytes"),
  /** Virtual compactions: merges deferred by metadata alone, and cuts at shard bounds. */
  DELAYS("Delays", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "plans"),
  /** Bytes of the tables whose merge was deferred. */
  DELAYED_BYTES("DelayedBytes", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "bytes"),
  /** Drops: dead tables removed without being read. */
  DROPS("Drops", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "plans"),
  /** Bytes of the tables dropped. */
  DROPPED_BYTES("DroppedBytes", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "bytes"),
  /** Merges that reads triggered. */
  READ_MERGES("ReadMerges", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "plans"),
  /** Plans that failed during execution; the host retries them. */
  FAILED_PLANS("FailedPlans", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "plans"),
  /** Plans that the checker refused; any value but 0 is a bug in Coppice. */
  REFUSED_PLANS("RefusedPlans", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "plans"),
  /** Memtables written to tables. */
  FLUSHES("Flushes", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "flushes"),
  /** Bytes of the tables that flushes wrote. */
  FLUSHED_BYTES("FlushedBytes", CompactionMetricId.OF_TABLE, CompactionMetricId.GROWS, "bytes"),
  /** Bytes of all tables. */
  LIVE_BYTES("LiveBytes", CompactionMetricId.OF_TABLE, CompactionMetricId.NOW, "bytes"),
  /**
   * Bytes of obsolete tables that stay on disk because a read, a merge or a stream still uses them.
   */
  PINNED_BYTES("PinnedBytes", CompactionMetricId.OF_TABLE, CompactionMetricId.NOW, "bytes"),
  /** Number of runs, summed over all levels. */
  RUNS("Runs", CompactionMetricId.OF_TABLE, CompactionMetricId.NOW, "runs"),
  /** Lower bound of the number of plans that the policy still wants. */
  PENDING_PLANS("PendingPlans", CompactionMetricId.OF_TABLE, CompactionMetricId.NOW, "plans"),
  /** Backlog: input bytes of the merges still wanted. */
  BACKLOG_BYTES("BacklogBytes", CompactionMetricId.OF_TABLE, CompactionMetricId.NOW, "bytes"),
  /** Time that the backlog takes at the recent throughput; -1 while the throughput is unknown. */
  BACKLOG_SECONDS("BacklogSeconds", CompactionMetricId.OF_TABLE, CompactionMetricId.NOW, "seconds"),
  /** Least transient space that any wanted plan needs to start; 0 if one needs none. */
  HEADROOM_BYTES("HeadroomBytes", CompactionMetricId.OF_TABLE, CompactionMetricId.NOW, "bytes"),
  /**
   * Transient space that merges may take: {@code max_transient_space}, or the free disk if that is
   * less. While it is below {@code HeadroomBytes}, merges may lack the space to start.
   */
  HEADROOM_LIMIT_BYTES(
      "HeadroomLimitBytes", CompactionMetricId.OF_TABLE, CompactionMetricId.NOW, "bytes"),
  /** Bytes flushed and merged for each byte flushed, since the counts began; 1 before. */
  WRITE_AMPLIFICATION(
      "WriteAmplification", CompactionMetricId.OF_TABLE, CompactionMetricId.NOW, "times"),
  /** Write amplification over the last hour; NaN without a flush. */
  WRITE_AMPLIFICATION_1H(
      "WriteAmplification1h", CompactionMetricId.OF_TABLE, CompactionMetricId.NOW, "times"),
  /** Write amplification over the last 24 hours. */
  WRITE_AMPLIFICATION_24H(
      "WriteAmplification24h", CompactionMetricId.OF_TABLE, CompactionMetricId.NOW, "times"),
  /**
   * Upper bound of space amplification: bytes of all tables for each byte of the largest run; 1
   * without runs.
   */
  SPACE_AMPLIFICATION(
      "SpaceAmplification", CompactionMetricId.OF_TABLE, CompactionMetricId.NOW, "times"),
  /** Mean of the space amplification over the last hour, sampled at each query. */
  SPACE_AMPLIFICATION_1H(
      "SpaceAmplification1h", CompactionMetricId.OF_TABLE, CompactionMetricId.NOW, "times"),
  /** Mean of the space amplification over the last 24 hours, sampled at each query. */
  SPACE_AMPLIFICATION_24H(
      "SpaceAmplification24h", CompactionMetricId.OF_TABLE, CompactionMetricId.NOW, "times"),
  /** Lookups; in Cassandra reads of a partition. */
  READS("Reads", CompactionMetricId.SHARED, CompactionMetricId.GROWS, "reads"),
  /**
   * Mean number of tables that a lookup checks, since the counts began; in Cassandra a recent mean.
   */
  TABLES_PER_READ("TablesPerRead", CompactionMetricId.SHARED, CompactionMetricId.NOW, "tables"),
  /** Mean number of tables that a lookup checks over the last hour; NaN without a lookup. */
  TABLES_PER_READ_1H(
      "TablesPerRead1h", CompactionMetricId.SHARED, CompactionMetricId.NOW, "tables"),
  /** Mean number of tables that a lookup checks over the last 24 hours. */
  TABLES_PER_READ_24H(
      "TablesPerRead24h", CompactionMetricId.SHARED, CompactionMetricId.NOW, "tables"),
  /**
   * Filter checks that let a lookup through to a table that holds the key. Cassandra sums only the
   * tables that exist now.
   */
  FILTER_TRUE_POSITIVES(
      "FilterTruePositives", CompactionMetricId.SHARED, CompactionMetricId.NOW, "checks"),
  /**
   * Filter checks that let a lookup through to a table that lacks the key. Cassandra sums only the
   * tables that exist now.
   */
  FILTER_FALSE_POSITIVES(
      "FilterFalsePositives", CompactionMetricId.SHARED, CompactionMetricId.NOW, "checks"),
  /** Memory that filters hold. */
  FILTER_BYTES("FilterBytes", CompactionMetricId.SHARED, CompactionMetricId.NOW, "bytes");

  /** Scope of a metric of one table in Cassandra or one family in a store. */
  static final boolean OF_TABLE = false;

  /** Scope of a metric of one table in Cassandra or all families of a store together. */
  static final boolean SHARED = true;

  /**
   * Kind of a metric that grows from 0, its value when the process starts or the table is created.
   */
  public static final boolean GROWS = true;

  /** Kind of a metric that shows the present value and may fall. */
  public static final boolean NOW = false;

  private final String label;
  private final boolean shared;
  private final boolean grows;
  private final String unit;

  CompactionMetricId(String label, boolean shared, boolean grows, String unit) {
    this.label = label;
    this.shared = shared;
    this.grows = grows;
    this.unit = unit;
  }

  /** Returns the name in registries and beans, which never changes. */
  public String label() {
    return label;
  }

  /** Returns whether a store has one value for all its families together. */
  public boolean shared() {
    return shared;
  }

  /** Returns whether the value only grows, from 0 on; otherwise it is a present value. */
  public boolean grows() {
    return grows;
  }

  /** Returns the unit of the value. */
  public String unit() {
    return unit;
  }
}
