// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.filter;

import io.coppice.table.block.OffHeapMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Binary fuse filter of one table's keys, off-heap and immutable. A key has three places, and the
 * exclusive or of their contents is the key's fingerprint. Another key matches by chance with
 * probability 1 in 2<sup>bits</sup>. Source: Graf, Lemire, "Binary Fuse Filters: Fast and Smaller
 * Than Xor Filters" (2022). Safe to share between threads until it is freed.
 */
public final class BinaryFuseFilter {

  /** 2^64 divided by the golden ratio; the top bits of a product depend on all bits of the hash. */
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final OffHeapMemory memory;
  private final ByteBuffer prints;
  private final int bits;
  private final int mask;
  private final int segmentPlaces;
  private final int firsts;
  private final long seed;

  /**
   * Creates a filter that owns the memory with the fingerprints that {@link FilterBuilder} made.
   */
  public BinaryFuseFilter(OffHeapMemory memory, FilterGeometry shape, long seed) {
    this.memory = memory;
    this.prints = memory.bytes().duplicate().order(ByteOrder.LITTLE_ENDIAN);
    this.bits = shape.bits();
    this.mask = (1 << bits) - 1;
    this.segmentPlaces = shape.segmentPlaces();
    this.firsts = shape.firsts();
    this.seed = seed;
  }

  /** Returns false only if the table has no key with this hash. */
  public boolean mayContain(long hash) {
    return difference(hash) == 0;
  }

  /**
   * Returns the difference between the key's fingerprint and the filter's content: 0 if the table
   * may contain the key, else a positive number.
   */
  public int difference(long hash) {
    // Reads all three places before comparing, which avoids unpredictable branches.
    long mixed = mix(hash, seed);
    int first = FilterGeometry.first(mixed, firsts);
    int second = FilterGeometry.second(mixed, first, segmentPlaces);
    int third = FilterGeometry.third(mixed, first, segmentPlaces);
    return (fingerprint(mixed) ^ at(first) ^ at(second) ^ at(third)) & mask;
  }

  private int at(int place) {
    int bit = place * bits;
    return prints.getInt(bit >>> 3) >>> (bit & 7);
  }

  /** Returns the mixed hash, the source of places and fingerprint. */
  static long mix(long hash, long seed) {
    long mixed = (hash ^ seed) * GOLDEN;
    return mixed ^ (mixed >>> 32);
  }

  /** Returns a number whose lower bits are the key's fingerprint. */
  static int fingerprint(long mixed) {
    return (int) (mixed ^ (mixed >>> 32));
  }

  /** Returns the filter's size in off-heap bytes. */
  public int bytes() {
    return prints.capacity();
  }

  public void free() {
    memory.free();
  }
}
