// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The keys of one table as a binary fuse filter: a key has three places, and the exclusive or of
 * what lies there is the key's fingerprint. Another key has the same by chance, once in two to the
 * number of bits. Source: Graf, Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters"
 * (2022). Lies outside the heap, immutable, safe to share between threads until it is freed.
 */
final class Filter {

  /** 2^64 divided by the golden ratio; the product's top bits depend on all bits of the hash. */
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final OffHeap memory;
  private final ByteBuffer prints;
  private final int bits;
  private final int mask;
  private final int segmentPlaces;
  private final int firsts;
  private final long seed;

  /** Takes over the memory, which holds the fingerprints as {@link FilterBuilder} made them. */
  Filter(OffHeap memory, FilterShape shape, long seed) {
    this.memory = memory;
    this.prints = memory.bytes().duplicate().order(ByteOrder.LITTLE_ENDIAN);
    this.bits = shape.bits();
    this.mask = (1 << bits) - 1;
    this.segmentPlaces = shape.segmentPlaces();
    this.firsts = shape.firsts();
    this.seed = seed;
  }

  /** False if no key with this hash is in the table. */
  boolean mayContain(long hash) {
    return difference(hash) == 0;
  }

  /** What the key's fingerprint and that in the filter differ in; 0 or more. */
  int difference(long hash) {
    // All three are read before any is looked at: no branch to be foretold.
    long mixed = mix(hash, seed);
    int first = FilterShape.first(mixed, firsts);
    int second = FilterShape.second(mixed, first, segmentPlaces);
    int third = FilterShape.third(mixed, first, segmentPlaces);
    return (fingerprint(mixed) ^ at(first) ^ at(second) ^ at(third)) & mask;
  }

  private int at(int place) {
    int bit = place * bits;
    return prints.getInt(bit >>> 3) >>> (bit & 7);
  }

  /** What places and fingerprint are taken from. */
  static long mix(long hash, long seed) {
    long mixed = (hash ^ seed) * GOLDEN;
    return mixed ^ (mixed >>> 32);
  }

  /** Its lower bits are the key's fingerprint. */
  static int fingerprint(long mixed) {
    return (int) (mixed ^ (mixed >>> 32));
  }

  /** The bytes it holds outside the heap. */
  int bytes() {
    return prints.capacity();
  }

  void free() {
    memory.free();
  }
}
