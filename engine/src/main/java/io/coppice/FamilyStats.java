// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import java.util.List;

/**
 * The figures of one family at one instant; counts are since the store was opened. A value.
 *
 * @param name its name
 * @param policy its compaction policy as text, every option named
 * @param levels level 0 first
 * @param tableBytes bytes of its tables, each counted once however many slices show it
 * @param pinnedBytes bytes of tables that are gone from the family, but that open cursors and
 *     merges still hold on disk
 * @param memtableBytes direct memory of its memtables; 0 if nothing waits to be flushed
 * @param flushedBytes bytes of the tables that flushes made
 * @param mergeSteps durable merge steps
 * @param mergeReadBytes bytes of tables that merges used up
 * @param mergedBytes bytes of tables that merges made
 * @param moves plans that hung slices elsewhere
 * @param delays plans that regrouped slices into virtual segments
 * @param drops plans that let go of dead slices
 * @param failedPlans plans that failed; they are tried again
 * @param backlogBytes input bytes of the merges that the policy wants now
 * @param headroomBytes transient space without which none of the plans wanted can start, 0 if one
 *     needs none
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

  /** Copies the list. */
  public FamilyStats {
    levels = List.copyOf(levels);
  }

  /** Bytes flushed and merged for each byte flushed; 1 if nothing was flushed. The log is apart. */
  public double writeAmplification() {
    return flushedBytes == 0 ? 1 : (double) (flushedBytes + mergedBytes) / flushedBytes;
  }
}
