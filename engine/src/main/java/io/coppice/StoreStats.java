// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import java.util.List;

/**
 * The figures of a store at one instant; counts are since it was opened. A value.
 *
 * @param levels level 0 first
 * @param flushes memtables written to tables
 * @param flushedBytes bytes of the tables they made
 * @param mergeSteps durable merge steps
 * @param mergeReadBytes bytes of tables that merges used up
 * @param mergedBytes bytes of tables that merges made
 * @param moves plans carried out by metadata alone
 * @param acceptedBytes bytes of keys and values written, with their frames
 * @param stalls writes made to wait for flush or merge
 * @param stalledNanos how long they waited in all
 * @param backlogBytes input bytes of the merges the policy wants now
 * @param memoryBytes off-heap bytes held from the budget, by all its stores
 * @param openHandles cursors and snapshots that are open
 */
public record StoreStats(
    List<LevelStats> levels,
    long flushes,
    long flushedBytes,
    long mergeSteps,
    long mergeReadBytes,
    long mergedBytes,
    long moves,
    long acceptedBytes,
    long stalls,
    long stalledNanos,
    long backlogBytes,
    long memoryBytes,
    int openHandles) {

  /**
   * One level.
   *
   * @param runs runs in it
   * @param tables tables in them
   * @param bytes bytes of those tables
   */
  public record LevelStats(int runs, int tables, long bytes) {}

  /** Copies the list. */
  public StoreStats {
    levels = List.copyOf(levels);
  }

  /** Bytes of all tables. */
  public long tableBytes() {
    return levels.stream().mapToLong(LevelStats::bytes).sum();
  }

  /** Bytes flushed and merged for each byte flushed; 1 if nothing was flushed. The log is apart. */
  public double writeAmplification() {
    return flushedBytes == 0 ? 1 : (double) (flushedBytes + mergedBytes) / flushedBytes;
  }
}
