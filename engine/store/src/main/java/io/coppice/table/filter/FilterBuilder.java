// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.filter;

import io.coppice.base.bytes.Coding;
import java.util.Arrays;

/**
 * Builder of the fingerprints of filters. It reuses its memory, about 30 bytes per key. Not safe to
 * share between threads.
 *
 * <ol>
 *   <li>Each place counts its keys and keeps the exclusive or of their hashes.
 *   <li>A place with a single key therefore knows that key. The key is removed from its three
 *       places, which may leave other places with a single key, and so on until all keys are
 *       removed.
 *   <li>In reverse order, each key sets the fingerprint of the place where it was alone, so that
 *       its three places yield its fingerprint. No later key changes these places.
 *   <li>If keys are left in step 2, which happens in a few of a hundred cases, the builder starts
 *       over with another seed. Two keys with the same hash can never be separated, so after some
 *       attempts each hash counts once.
 * </ol>
 */
public final class FilterBuilder {

  private static final int ATTEMPTS_WITH_EQUALS = 4;
  private static final int MAX_ATTEMPTS = 100;
  private static final long NEXT_SEED = 0xD1342543DE82EF95L;

  /** Number of keys above which the memory is dropped after use. */
  private static final int MAX_KEPT_KEYS = 1 << 18;

  private long[] sums = {};
  private byte[] counts = {};
  private int[] alone = {};
  private long[] order = {};
  private int[] places = {};
  private long found;

  /**
   * Writes the fingerprints of a filter into zeroed bytes, as many as {@link FilterGeometry#bytes}.
   *
   * @param hashes hashes of the shape's keys, from index 0
   * @param start index in {@code target} of the first fingerprint byte
   * @return whether all keys found places; only keys crafted to collide fail, and the bytes stay
   *     zero then
   */
  public boolean build(long[] hashes, FilterGeometry shape, long seed, byte[] target, int start) {
    reserve(shape);
    int keys = shape.keys();
    long[] distinct = hashes;
    long attempt = seed;
    for (int i = 0; !order(distinct, keys, shape, attempt); i++) {
      if (i == ATTEMPTS_WITH_EQUALS) {
        distinct = Arrays.copyOf(hashes, keys);
        keys = removeEquals(distinct);
      }
      if (i == MAX_ATTEMPTS) {
        return false;
      }
      attempt += NEXT_SEED;
    }
    for (int i = keys - 1; i >= 0; i--) {
      set(order[i], places[i], shape, target, start);
    }
    if (order.length > MAX_KEPT_KEYS) {
      sums = new long[0];
      order = new long[0];
    }
    found = attempt;
    return true;
  }

  /** Returns the seed of the last successful build, an argument of {@link BinaryFuseFilter}. */
  public long seed() {
    return found;
  }

  private void reserve(FilterGeometry shape) {
    if (sums.length < shape.places()) {
      sums = new long[shape.places()];
      counts = new byte[shape.places()];
      alone = new int[shape.places()];
    }
    if (order.length < shape.keys()) {
      order = new long[shape.keys()];
      places = new int[shape.keys()];
    }
  }

  private static int removeEquals(long[] hashes) {
    Arrays.sort(hashes);
    int kept = 0;
    for (long hash : hashes) {
      if (kept == 0 || hashes[kept - 1] != hash) {
        hashes[kept++] = hash;
      }
    }
    return kept;
  }

  /** Runs steps 1 and 2; returns whether all keys were removed. */
  private boolean order(long[] hashes, int keys, FilterGeometry shape, long seed) {
    int segment = shape.segmentPlaces();
    int firsts = shape.firsts();
    Arrays.fill(sums, 0, shape.places(), 0);
    Arrays.fill(counts, 0, shape.places(), (byte) 0);
    for (int i = 0; i < keys; i++) {
      long mixed = BinaryFuseFilter.mix(hashes[i], seed);
      int first = FilterGeometry.first(mixed, firsts);
      int second = FilterGeometry.second(mixed, first, segment);
      int third = FilterGeometry.third(mixed, first, segment);
      sums[first] ^= mixed;
      sums[second] ^= mixed;
      sums[third] ^= mixed;
      if ((++counts[first] | ++counts[second] | ++counts[third]) < 0) {
        return false;
      }
    }
    int waiting = 0;
    for (int i = 0; i < shape.places(); i++) {
      if (counts[i] == 1) {
        alone[waiting++] = i;
      }
    }
    int ordered = 0;
    while (waiting > 0) {
      int place = alone[--waiting];
      if (counts[place] != 1) {
        continue;
      }
      long mixed = sums[place];
      order[ordered] = mixed;
      places[ordered++] = place;
      int first = FilterGeometry.first(mixed, firsts);
      waiting = takeOut(mixed, first, waiting);
      waiting = takeOut(mixed, FilterGeometry.second(mixed, first, segment), waiting);
      waiting = takeOut(mixed, FilterGeometry.third(mixed, first, segment), waiting);
    }
    return ordered == keys;
  }

  private int takeOut(long mixed, int place, int waiting) {
    sums[place] ^= mixed;
    if (--counts[place] == 1) {
      alone[waiting] = place;
      return waiting + 1;
    }
    return waiting;
  }

  /** Runs step 3 for one key, whose own place is still zero. */
  private static void set(long mixed, int own, FilterGeometry shape, byte[] target, int start) {
    int first = FilterGeometry.first(mixed, shape.firsts());
    int second = FilterGeometry.second(mixed, first, shape.segmentPlaces());
    int third = FilterGeometry.third(mixed, first, shape.segmentPlaces());
    int bits = shape.bits();
    int print =
        BinaryFuseFilter.fingerprint(mixed)
            ^ at(first, bits, target, start)
            ^ at(second, bits, target, start)
            ^ at(third, bits, target, start);
    int bit = own * bits;
    int at = start + (bit >>> 3);
    int set = (print & ((1 << bits) - 1)) << (bit & 7);
    Coding.putFixed32(target, at, Coding.fixed32(target, at) ^ set);
  }

  private static int at(int place, int bits, byte[] target, int start) {
    int bit = place * bits;
    return Coding.fixed32(target, start + (bit >>> 3)) >>> (bit & 7);
  }
}
