// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Statistics of a store at one instant; counts begin with its opening. A value.
 *
 * @param families statistics of each family, the default one first
 * @param levels level 0 first, all families together
 * @param tableBytes bytes of all tables, each counted once regardless of its number of slices
 * @param pinnedBytes bytes of obsolete tables that open cursors and merges still keep on disk
 * @param flushes completed flushes; one may cover several families
 * @param flushedBytes bytes of tables written by flushes
 * @param mergeSteps parts of merges that ended with a durable edit of the manifest
 * @param mergeReadBytes bytes of tables consumed by merges
 * @param mergedBytes bytes of tables written by merges
 * @param moves plans that moved slices to another place
 * @param delays plans that grouped slices into virtual segments or cut segments; no data was
 *     written
 * @param drops plans that removed slices whose tombstones covered no older data
 * @param acceptedBytes bytes of written keys and values, each with some bytes for its kind and
 *     lengths
 * @param stalls waits of write groups for memory, flushes or merges, and delays under write
 *     pressure
 * @param stalledNanos total duration of these waits
 * @param writeDelayNanosPerByte present delay of writers per byte written; 0 if flushes and merges
 *     keep up
 * @param backlogBytes input bytes of the merges that the policies want now
 * @param headroomBytes largest transient space that a family needs to start any of its wanted
 *     plans, 0 if all can start; a value above {@code maxTransientSpace} shows that this limit
 *     stops compaction
 * @param memoryBytes off-heap bytes taken from the budget by all its stores
 * @param cache statistics of the block cache
 * @param filters statistics of table filters
 * @param openHandles open cursors and snapshots
 * @param forgottenHandles cursors and snapshots that were never closed and that the garbage
 *     collector found
 * @param oldestSnapshotAge age of the oldest open snapshot, whose versions flushes and merges keep;
 *     zero if there is none
 * @param reads statistics of lookups
 * @param reader one line on how several blocks are read at once; contains {@code demoted} after a
 *     failure of io_uring
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
   * Statistics of one level.
   *
   * @param runs runs in it
   * @param segments segments of these runs; one of several slices counts once
   * @param virtualSegments segments among them that a delay made
   * @param bytes bytes of their slices, without the parts of tables outside the slices' key windows
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
   * Statistics of the block cache.
   *
   * @param hits blocks found in the cache
   * @param misses blocks that had to be read
   * @param inserts blocks inserted
   * @param evictions blocks evicted
   * @param bytes memory in use
   */
  public record CacheStats(long hits, long misses, long inserts, long evictions, long bytes) {

    /**
     * Returns the share of hits among all requests since the store was opened, from 0 to 1; 0
     * without a request.
     */
    public double hitRatio() {
      return hits == 0 ? 0 : (double) hits / (hits + misses);
    }
  }

  /**
   * Statistics of table filters.
   *
   * @param bytes memory in use
   * @param loaded tables whose filter is in memory
   * @param absent tables whose filter is missing from memory; lookups search them without one
   * @param evictions filters that left memory to make room for others
   * @param rebuilt filters rebuilt from their tables when the store was opened
   */
  public record FilterStats(long bytes, int loaded, int absent, long evictions, long rebuilt) {}

  /** Returns the levels of several families added up, level 0 first. */
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

  /** Creates a value with copies of the lists. */
  public StoreStats {
    families = List.copyOf(families);
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
