// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * What is measured of compaction, under one name in every host: of each table in Cassandra, of each
 * family in a store, and of what a store's families share, the store. {@code
 * docs/reference/metrics.md} is made of this list.
 */
public enum Figure {
  /** Merges: plans that rewrite tables. */
  MERGES("Merges", Of.TABLE, Kind.COUNT, "plans"),
  /**
   * Durable steps of merges; at each its outputs come and the inputs it used up go (early
   * cleaning).
   */
  MERGE_STEPS("MergeSteps", Of.TABLE, Kind.COUNT, "steps"),
  /** Bytes of the tables that steps of merges used up. */
  MERGE_READ_BYTES("MergeReadBytes", Of.TABLE, Kind.COUNT, "bytes"),
  /** Bytes of the tables that merges made. */
  MERGED_BYTES("MergedBytes", Of.TABLE, Kind.COUNT, "bytes"),
  /** Moves: tables that changed level by metadata alone. In Cassandra each counts. */
  MOVES("Moves", Of.TABLE, Kind.COUNT, "plans"),
  /** Bytes of the tables moved. */
  MOVED_BYTES("MovedBytes", Of.TABLE, Kind.COUNT, "bytes"),
  /** Virtual compactions: merges that were put off, by metadata alone. */
  DELAYS("Delays", Of.TABLE, Kind.COUNT, "plans"),
  /** Bytes of the tables put off. */
  DELAYED_BYTES("DelayedBytes", Of.TABLE, Kind.COUNT, "bytes"),
  /** Drops: dead tables that went without being read. */
  DROPS("Drops", Of.TABLE, Kind.COUNT, "plans"),
  /** Bytes of the tables dropped. */
  DROPPED_BYTES("DroppedBytes", Of.TABLE, Kind.COUNT, "bytes"),
  /** Merges that reads asked for. */
  READ_MERGES("ReadMerges", Of.TABLE, Kind.COUNT, "plans"),
  /** Plans that failed; they are tried again. */
  FAILED_PLANS("FailedPlans", Of.TABLE, Kind.COUNT, "plans"),
  /** Plans that the checker refused; anything but 0 is a fault of ours. */
  REFUSED_PLANS("RefusedPlans", Of.TABLE, Kind.COUNT, "plans"),
  /** Memtables written to tables. */
  FLUSHES("Flushes", Of.TABLE, Kind.COUNT, "flushes"),
  /** Bytes of the tables that flushes made. */
  FLUSHED_BYTES("FlushedBytes", Of.TABLE, Kind.COUNT, "bytes"),
  /** Bytes of all tables. */
  LIVE_BYTES("LiveBytes", Of.TABLE, Kind.NOW, "bytes"),
  /** Bytes of tables that have left but that reads, merges or streams still hold on disk. */
  PINNED_BYTES("PinnedBytes", Of.TABLE, Kind.NOW, "bytes"),
  /** Runs of all levels. */
  RUNS("Runs", Of.TABLE, Kind.NOW, "runs"),
  /** Plans still wanted, at least. */
  PENDING_PLANS("PendingPlans", Of.TABLE, Kind.NOW, "plans"),
  /** The backlog: input bytes of merges still wanted. */
  DEBT_BYTES("DebtBytes", Of.TABLE, Kind.NOW, "bytes"),
  /** How long the backlog takes at the pace of late; -1 while no pace is known. */
  DEBT_SECONDS("DebtSeconds", Of.TABLE, Kind.NOW, "seconds"),
  /** Transient space without which no wanted plan can start; 0 if one needs none. */
  HEADROOM_BYTES("HeadroomBytes", Of.TABLE, Kind.NOW, "bytes"),
  /** Bytes flushed and merged for each byte flushed, since the counts began; 1 before. */
  WRITE_AMPLIFICATION("WriteAmplification", Of.TABLE, Kind.NOW, "times"),
  /** The same over the last hour; not a number if nothing was flushed. */
  WRITE_AMPLIFICATION_1H("WriteAmplification1h", Of.TABLE, Kind.NOW, "times"),
  /** The same over the last 24 hours. */
  WRITE_AMPLIFICATION_24H("WriteAmplification24h", Of.TABLE, Kind.NOW, "times"),
  /** At most this: bytes of all tables for each byte of the largest run; 1 if there is none. */
  SPACE_AMPLIFICATION("SpaceAmplification", Of.TABLE, Kind.NOW, "times"),
  /** Its mean over the last hour, as it was seen when somebody looked. */
  SPACE_AMPLIFICATION_1H("SpaceAmplification1h", Of.TABLE, Kind.NOW, "times"),
  /** Likewise over the last 24 hours. */
  SPACE_AMPLIFICATION_24H("SpaceAmplification24h", Of.TABLE, Kind.NOW, "times"),
  /** Lookups; in Cassandra reads of a partition. */
  READS("Reads", Of.SHARED, Kind.COUNT, "reads"),
  /** Tables that a lookup asks, on average since the counts began; in Cassandra of late. */
  TABLES_PER_READ("TablesPerRead", Of.SHARED, Kind.NOW, "tables"),
  /** The same over the last hour; not a number if nothing was read. */
  TABLES_PER_READ_1H("TablesPerRead1h", Of.SHARED, Kind.NOW, "tables"),
  /** The same over the last 24 hours. */
  TABLES_PER_READ_24H("TablesPerRead24h", Of.SHARED, Kind.NOW, "tables"),
  /** Tables whose filter let a key pass that was there; in Cassandra of the tables there are. */
  FILTER_TRUE_POSITIVES("FilterTruePositives", Of.SHARED, Kind.NOW, "tables"),
  /** Tables whose filter let a key pass that was not there; likewise. */
  FILTER_FALSE_POSITIVES("FilterFalsePositives", Of.SHARED, Kind.NOW, "tables"),
  /** Memory that filters hold. */
  FILTER_BYTES("FilterBytes", Of.SHARED, Kind.NOW, "bytes");

  /** What a figure is about. */
  public enum Of {
    /** A table in Cassandra, a family in a store. */
    TABLE,
    /** A table in Cassandra, all families together in a store. */
    SHARED
  }

  /** How a figure moves. */
  public enum Kind {
    /** Grows from 0 on, which it is when the process starts or the table comes. */
    COUNT,
    /** As it is now. */
    NOW
  }

  private final String label;
  private final Of of;
  private final Kind kind;
  private final String unit;

  Figure(String label, Of of, Kind kind, String unit) {
    this.label = label;
    this.of = of;
    this.kind = kind;
    this.unit = unit;
  }

  /** Its name in registries and beans; never changes. */
  public String label() {
    return label;
  }

  /** What it is about. */
  public Of of() {
    return of;
  }

  /** How it moves. */
  public Kind kind() {
    return kind;
  }

  /** What it counts. */
  public String unit() {
    return unit;
  }
}
