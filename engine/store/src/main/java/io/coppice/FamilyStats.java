// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import java.util.List;

/**
 * Statistics of one family at one instant; counts begin with the opening of the store. A value.
 *
 * @param name its name
 * @param policy its compaction policy as text with every option
 * @param levels level 0 first
 * @param tableBytes bytes of its tables, each counted once regardless of its number of slices
 * @param pinnedBytes bytes of obsolete tables that open cursors and merges still keep on disk
 * @param memtableBytes off-heap memory of its memtables; 0 if no flush is needed
 * @param flushedBytes bytes of tables written by flushes
 * @param mergeSteps parts of merges that ended with a durable edit of the manifest
 * @param mergeReadBytes bytes of tables consumed by merges
 * @param mergedBytes bytes of tables written by merges
 * @param moves plans that moved slices to another place
 * @param delays plans that grouped slices into virtual segments or cut segments; no data was
 *     written
 * @param drops plans that removed slices whose tombstones covered no older data
 * @param failedPlans plans that failed; they are tried again
 * @param backlogBytes input bytes of the merges that the policy wants now
 * @param headroomBytes least transient space, which is disk space taken only while a merge runs,
 *     that some wanted plan needs to start; 0 if one needs none
 */
public record FamilyStats(
    String name,
    String policy,
    List<StoreStats.LevelStats> levels,
    long tableBytes,
    long pinnedBytes,
    long memtableBytes,
    long flushedBytes,
    long mergeSteps,
    long mergeReadBytes,
    long mergedBytes,
    long moves,
    long delays,
    long drops,
    long failedPlans,
    long backlogBytes,
    long headroomBytes) {

  /** Creates a value with a copy of the list. */
  public FamilyStats {
    levels = List.copyOf(levels);
  }

  /**
   * Returns the bytes flushed and merged per byte flushed, or 1 if nothing was flushed. The log
   * does not count.
   */
  public double writeAmplification() {
    return flushedBytes == 0 ? 1 : (double) (flushedBytes + mergedBytes) / flushedBytes;
  }
}
