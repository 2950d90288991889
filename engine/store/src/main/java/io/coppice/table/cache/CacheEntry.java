// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.cache;

/**
 * Entry of the block cache's index, a number that describes one block: its position in memory, or
 * the time when it left. 0 is an empty entry.
 *
 * <pre>
 *   block  tag 12 | hits 2 | 0 | chunk 12 | generation 21 | position 16
 *   ghost  tag 12 | 0    2 | 1 | when it left              49
 * </pre>
 *
 * <p>A position counts units of 8 bytes, so a chunk has at most 512 KiB. A generation is never 0,
 * and repeats after the chunk was filled two million times. A ghost records that its block left
 * without a second read; its time counts units put into the shard.
 */
final class CacheEntry {

  static final int UNIT_BYTES = Long.BYTES;
  static final int POSITION_BITS = 16;
  static final int GENERATION_BITS = 21;
  static final int CHUNK_BITS = 12;
  static final int MAX_CHUNKS = 1 << CHUNK_BITS;
  static final int MAX_CHUNK_BYTES = UNIT_BYTES << POSITION_BITS;
  static final int MAX_HITS = 3;

  private static final long GENERATION_MASK = (1L << GENERATION_BITS) - 1;
  private static final int CHUNK_SHIFT = POSITION_BITS + GENERATION_BITS;
  private static final int GHOST_SHIFT = CHUNK_SHIFT + CHUNK_BITS;
  private static final int HITS_SHIFT = GHOST_SHIFT + 1;
  private static final int TAG_SHIFT = HITS_SHIFT + 2;
  private static final long GHOST = 1L << GHOST_SHIFT;
  private static final long HITS = 3L << HITS_SHIFT;

  /** Increment for one more hit. */
  static final long ONE_HIT = 1L << HITS_SHIFT;

  private CacheEntry() {}

  /** Returns the tag bits of a hash, at their position in an entry. */
  static long tag(long hash) {
    return hash >>> TAG_SHIFT << TAG_SHIFT;
  }

  static long of(long tag, int chunk, long generation, int position) {
    return tag
        | (long) chunk << CHUNK_SHIFT
        | (generation & GENERATION_MASK) << POSITION_BITS
        | position / UNIT_BYTES;
  }

  static long ghost(long tag, long time) {
    return tag | GHOST | (time & (GHOST - 1));
  }

  /** Returns the next generation, whose low bits are never 0. */
  static long nextGeneration(long generation) {
    return (generation + 1 & GENERATION_MASK) == 0 ? generation + 2 : generation + 1;
  }

  static boolean isBlock(long entry, long tag) {
    return ((entry ^ tag) & (~0L << TAG_SHIFT | GHOST)) == 0 && entry != 0;
  }

  static boolean isGhost(long entry) {
    return (entry & GHOST) != 0;
  }

  static boolean isGhost(long entry, long tag) {
    return ((entry ^ tag ^ GHOST) & (~0L << TAG_SHIFT | GHOST)) == 0;
  }

  /**
   * Returns the units of 8 bytes that were put into the shard since a ghost's block left.
   *
   * @param time units put into the shard up to now
   */
  static long age(long ghost, long time) {
    return time - ghost & (GHOST - 1);
  }

  static int hits(long entry) {
    return (int) (entry >>> HITS_SHIFT) & MAX_HITS;
  }

  /** Returns the entry with another hit count. */
  static long withHits(long entry, int hits) {
    return entry & ~HITS | (long) hits << HITS_SHIFT;
  }

  static int chunk(long entry) {
    return (int) (entry >>> CHUNK_SHIFT) & (MAX_CHUNKS - 1);
  }

  static boolean isOf(long entry, long generation) {
    return ((entry >>> POSITION_BITS ^ generation) & GENERATION_MASK) == 0;
  }

  static int position(long entry) {
    return (int) (entry & (1 << POSITION_BITS) - 1) * UNIT_BYTES;
  }
}
