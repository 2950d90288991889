// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import java.nio.ByteBuffer;

/**
 * The keys of one table as a blocked Bloom filter: all bits of a key lie in one line of 64 bytes,
 * so that a question costs one cache miss. Source: Putze, Sanders, Singler, "Cache-, Hash- and
 * Space-Efficient Bloom Filters" (2007); the bits by repeated multiplication as in RocksDB's format
 * of 2019. Lies outside the heap, immutable, safe to share between threads until it is freed.
 */
final class Filter {

  static final int LINE_BYTES = 64;
  static final int LINE_BITS = LINE_BYTES * Byte.SIZE;

  /** 2^64 divided by the golden ratio; the product's top bits depend on all bits of the hash. */
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private static final int BIT_SHIFT = Long.SIZE - 9;

  private final OffHeap memory;
  private final ByteBuffer bits;
  private final int lines;
  private final int probes;
  private final long seed;

  Filter(OffHeap memory, FilterOptions options) {
    this.memory = memory;
    this.bits = memory.bytes();
    this.lines = options.filterBytes() / LINE_BYTES;
    this.probes = options.probes();
    this.seed = options.seed();
  }

  /** Sets the bits of a key in a filter that is being made; big-endian, from {@code start}. */
  static void add(ByteBuffer bits, int start, FilterOptions options, long hash) {
    long h = mix(hash, options.seed());
    int line = start + line(h, options.filterBytes() / LINE_BYTES);
    for (int i = 0; i < options.probes(); i++) {
      h *= GOLDEN;
      int bit = (int) (h >>> BIT_SHIFT);
      int word = line + (bit >>> 6) * Long.BYTES;
      bits.putLong(word, bits.getLong(word) | 1L << bit);
    }
  }

  /** False if no key with this hash was added. */
  boolean mayContain(long hash) {
    long h = mix(hash, seed);
    int line = line(h, lines);
    for (int i = 0; i < probes; i++) {
      h *= GOLDEN;
      int bit = (int) (h >>> BIT_SHIFT);
      if ((bits.getLong(line + (bit >>> 6) * Long.BYTES) & 1L << bit) == 0) {
        return false;
      }
    }
    return true;
  }

  void free() {
    memory.free();
  }

  private static long mix(long hash, long seed) {
    long h = (hash ^ seed) * GOLDEN;
    return h ^ (h >>> 32);
  }

  /** The position of a line, chosen by the top 32 bits. */
  private static int line(long h, int lines) {
    return (int) (((h >>> 32) * lines) >>> 32) * LINE_BYTES;
  }
}
