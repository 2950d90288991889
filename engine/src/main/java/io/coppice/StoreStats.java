// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The figures of a store at one instant; counts are since it was opened. A value.
 *
 * @param families of each family, the default one first
 * @param levels level 0 first, all families together
 * @param tableBytes bytes of all tables, each counted once however many slices show it
 * @param pinnedBytes bytes of tables that are gone from the store, but that open cursors and merges
 *     still hold on disk
 * @param flushes memtables written to tables
 * @param flushedBytes bytes of the tables they made
 * @param mergeSteps durable merge steps
 * @param mergeReadBytes bytes of tables that merges used up
 * @param mergedBytes bytes of tables that merges made
 * @param moves plans that hung slices elsewhere
 * @param delays plans that regrouped slices into virtual segments
 * @param drops plans that let go of dead slices
 * @param acceptedBytes bytes of keys and values written, with their frames
 * @param stalls writes made to wait for flush or merge
 * @param stalledNanos how long they waited in all
 * @param writeDelayNanosPerByte how long writers are held back now for each byte they write; 0 if
 *     flushes and merges keep up
 * @param backlogBytes input bytes of the merges the policy wants now
 * @param headroomBytes transient space without which some family can start none of the plans its
 *     policy wants, 0 if none needs any; above {@code maxTransientSpace} it is what holds
 *     compaction up
 * @param memoryBytes off-heap bytes held from the budget, by all its stores
 * @param cache what the cache of blocks did
 * @param filters what filters of tables hold and did
 * @param openHandles cursors and snapshots that are open
 * @param forgottenHandles cursors and snapshots that were never closed and that the garbage
 *     collector has found
 * @param oldestSnapshotAge since when the oldest open snapshot makes flushes and merges keep what
 *     it sees; zero if there is none
 * @param reads what lookups did
 * @param reader what reads blocks at once, and how, in one line; after a failure of io_uring it
 *     says {@code demoted}
 */
public record StoreStats(
    List<FamilyStats> families,
    List<LevelStats> levels,
    long tableBytes,
    long pinnedBytes,
    long flushes,
    long flushedBytes,
    long mergeSteps,
    long mergeReadBytes,
    long mergedBytes,
    long moves,
    long delays,
    long drops,
    long acceptedBytes,
    long stalls,
    long stalledNanos,
    double writeDelayNanosPerByte,
    long backlogBytes,
    long headroomBytes,
    long memoryBytes,
    CacheStats cache,
    FilterStats filters,
    int openHandles,
    long forgottenHandles,
    Duration oldestSnapshotAge,
    ReadStats reads,
    String reader) {

  /**
   * One level.
   *
   * @param runs runs in it
   * @param segments tables in them, real and virtual
   * @param virtualSegments those of them that a delay made
   * @param bytes bytes inside the windows of their slices
   */
  public record LevelStats(int runs, int segments, int virtualSegments, long bytes) {
    private LevelStats with(LevelStats other) {
      return new LevelStats(
          runs + other.runs,
          segments + other.segments,
          virtualSegments + other.virtualSegments,
          bytes + other.bytes);
    }
  }

  /**
   * The cache of blocks.
   *
   * @param hits blocks found there
   * @param misses blocks that had to be read
   * @param inserts blocks taken in
   * @param evictions blocks that left
   * @param bytes of the memory that it holds
   */
  public record CacheStats(long hits, long misses, long inserts, long evictions, long bytes) {

    /** Hits among all blocks sought there; 0 if none was. */
    public double hitRatio() {
      return hits == 0 ? 0 : (double) hits / (hits + misses);
    }
  }

  /**
   * The filters of tables.
   *
   * @param bytes of the memory that they hold
   * @param loaded tables whose filter is in memory
   * @param absent tables whose filter is not; lookups do without
   * @param evictions filters that left memory to make room for others
   * @param rebuilt filters made anew from their tables when the store was opened
   */
  public record FilterStats(long bytes, int loaded, int absent, long evictions, long rebuilt) {}

  /** The levels of several families together. */
  static List<LevelStats> levels(List<FamilyStats> families) {
    List<LevelStats> sum = new ArrayList<>();
    for (FamilyStats family : families) {
      for (int i = 0; i < family.levels().size(); i++) {
        if (i == sum.size()) {
          sum.add(new LevelStats(0, 0, 0, 0));
        }
        sum.set(i, sum.get(i).with(family.levels().get(i)));
      }
    }
    return sum;
  }

  /** Copies the lists. */
  public StoreStats {
    families = List.copyOf(families);
    levels = List.copyOf(levels);
  }

  /** Bytes flushed and merged for each byte flushed; 1 if nothing was flushed. The log is apart. */
  public double writeAmplification() {
    return flushedBytes == 0 ? 1 : (double) (flushedBytes + mergedBytes) / flushedBytes;
  }
}
