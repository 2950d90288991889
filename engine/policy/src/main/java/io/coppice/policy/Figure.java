// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * What is measured of compaction, under one name in every host: of each table in Cassandra, of each
 * family in a store, and of what a store's families share, the store. {@code
 * docs/reference/metrics.md} is made of this list.
 */
public enum Figure {
  /** Merges: plans that rewrite tables. */
  MERGES("Merges", Figure.OF_TABLE, Figure.GROWS, "plans"),
  /**
   * Durable steps of merges; at each its outputs come and the inputs it used up go (early
   * cleaning).
   */
  MERGE_STEPS("MergeSteps", Figure.OF_TABLE, Figure.GROWS, "steps"),
  /** Bytes of the tables that steps of merges used up. */
  MERGE_READ_BYTES("MergeReadBytes", Figure.OF_TABLE, Figure.GROWS, "bytes"),
  /** Bytes of the tables that merges made. */
  MERGED_BYTES("MergedBytes", Figure.OF_TABLE, Figure.GROWS, "bytes"),
  /** Moves: tables that changed level by metadata alone. In Cassandra each counts. */
  MOVES("Moves", Figure.OF_TABLE, Figure.GROWS, "plans"),
  /** Bytes of the tables moved. */
  MOVED_BYTES("MovedBytes", Figure.OF_TABLE, Figure.GROWS, "bytes"),
  /** Virtual compactions: merges that were put off, by metadata alone; cuts at ends of shards. */
  DELAYS("Delays", Figure.OF_TABLE, Figure.GROWS, "plans"),
  /** Bytes of the tables put off. */
  DELAYED_BYTES("DelayedBytes", Figure.OF_TABLE, Figure.GROWS, "bytes"),
  /** Drops: dead tables that went without being read. */
  DROPS("Drops", Figure.OF_TABLE, Figure.GROWS, "plans"),
  /** Bytes of the tables dropped. */
  DROPPED_BYTES("DroppedBytes", Figure.OF_TABLE, Figure.GROWS, "bytes"),
  /** Merges that reads asked for. */
  READ_MERGES("ReadMerges", Figure.OF_TABLE, Figure.GROWS, "plans"),
  /** Plans that failed; they are tried again. */
  FAILED_PLANS("FailedPlans", Figure.OF_TABLE, Figure.GROWS, "plans"),
  /** Plans that the checker refused; anything but 0 is a fault of ours. */
  REFUSED_PLANS("RefusedPlans", Figure.OF_TABLE, Figure.GROWS, "plans"),
  /** Memtables written to tables. */
  FLUSHES("Flushes", Figure.OF_TABLE, Figure.GROWS, "flushes"),
  /** Bytes of the tables that flushes made. */
  FLUSHED_BYTES("FlushedBytes", Figure.OF_TABLE, Figure.GROWS, "bytes"),
  /** Bytes of all tables. */
  LIVE_BYTES("LiveBytes", Figure.OF_TABLE, Figure.NOW, "bytes"),
  /** Bytes of tables that have left but that reads, merges or streams still hold on disk. */
  PINNED_BYTES("PinnedBytes", Figure.OF_TABLE, Figure.NOW, "bytes"),
  /** Runs of all levels. */
  RUNS("Runs", Figure.OF_TABLE, Figure.NOW, "runs"),
  /** Plans still wanted, at least. */
  PENDING_PLANS("PendingPlans", Figure.OF_TABLE, Figure.NOW, "plans"),
  /** The backlog: input bytes of merges still wanted. */
  DEBT_BYTES("DebtBytes", Figure.OF_TABLE, Figure.NOW, "bytes"),
  /** How long the backlog takes at the pace of late; -1 while no pace is known. */
  DEBT_SECONDS("DebtSeconds", Figure.OF_TABLE, Figure.NOW, "seconds"),
  /** Transient space without which no wanted plan can start; 0 if one needs none. */
  HEADROOM_BYTES("HeadroomBytes", Figure.OF_TABLE, Figure.NOW, "bytes"),
  /** Bytes flushed and merged for each byte flushed, since the counts began; 1 before. */
  WRITE_AMPLIFICATION("WriteAmplification", Figure.OF_TABLE, Figure.NOW, "times"),
  /** The same over the last hour; not a number if nothing was flushed. */
  WRITE_AMPLIFICATION_1H("WriteAmplification1h", Figure.OF_TABLE, Figure.NOW, "times"),
  /** The same over the last 24 hours. */
  WRITE_AMPLIFICATION_24H("WriteAmplification24h", Figure.OF_TABLE, Figure.NOW, "times"),
  /** At most this: bytes of all tables for each byte of the largest run; 1 if there is none. */
  SPACE_AMPLIFICATION("SpaceAmplification", Figure.OF_TABLE, Figure.NOW, "times"),
  /** Its mean over the last hour, as it was seen when somebody looked. */
  SPACE_AMPLIFICATION_1H("SpaceAmplification1h", Figure.OF_TABLE, Figure.NOW, "times"),
  /** Likewise over the last 24 hours. */
  SPACE_AMPLIFICATION_24H("SpaceAmplification24h", Figure.OF_TABLE, Figure.NOW, "times"),
  /** Lookups; in Cassandra reads of a partition. */
  READS("Reads", Figure.SHARED, Figure.GROWS, "reads"),
  /** Tables that a lookup asks, on average since the counts began; in Cassandra of late. */
  TABLES_PER_READ("TablesPerRead", Figure.SHARED, Figure.NOW, "tables"),
  /** The same over the last hour; not a number if nothing was read. */
  TABLES_PER_READ_1H("TablesPerRead1h", Figure.SHARED, Figure.NOW, "tables"),
  /** The same over the last 24 hours. */
  TABLES_PER_READ_24H("TablesPerRead24h", Figure.SHARED, Figure.NOW, "tables"),
  /** Tables whose filter let a key pass that was there; in Cassandra of the tables there are. */
  FILTER_TRUE_POSITIVES("FilterTruePositives", Figure.SHARED, Figure.NOW, "tables"),
  /** Tables whose filter let a key pass that was not there; likewise. */
  FILTER_FALSE_POSITIVES("FilterFalsePositives", Figure.SHARED, Figure.NOW, "tables"),
  /** Memory that filters hold. */
  FILTER_BYTES("FilterBytes", Figure.SHARED, Figure.NOW, "bytes");

  /** Of a table in Cassandra, a family in a store. */
  static final boolean OF_TABLE = false;

  /** Of a table in Cassandra, all families together in a store. */
  static final boolean SHARED = true;

  /** Grows from 0 on, which it is when the process starts or the table comes. */
  public static final boolean GROWS = true;

  /** As it is now. */
  public static final boolean NOW = false;

  private final String label;
  private final boolean shared;
  private final boolean grows;
  private final String unit;

  Figure(String label, boolean shared, boolean grows, String unit) {
    this.label = label;
    this.shared = shared;
    this.grows = grows;
    this.unit = unit;
  }

  /** Its name in registries and beans; never changes. */
  public String label() {
    return label;
  }

  /** True if a store has one for all its families together. */
  public boolean shared() {
    return shared;
  }

  /** True if it only grows, from 0 on; else it is as it is now. */
  public boolean grows() {
    return grows;
  }

  /** What it counts. */
  public String unit() {
    return unit;
  }
}
