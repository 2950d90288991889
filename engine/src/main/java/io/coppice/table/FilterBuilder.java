// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.Coding;
import java.util.Arrays;

/**
 * Makes the fingerprints of filters. Its memory is used again, about 30 bytes a key. Not safe to
 * share between threads.
 *
 * <ol>
 *   <li>Each place notes how many keys it has and the exclusive or of their hashes.
 *   <li>A place with one key knows that key; the key is taken out of its three places, which may
 *       leave others with one, until no key is left.
 *   <li>In the reverse order each key sets the fingerprint of the place where it was alone, so that
 *       its three give its own: none of them is set again later.
 *   <li>If keys are left in step 2, as happens in some of a hundred cases, it begins again with
 *       another seed. Two keys of one hash never part: after some attempts each hash counts once.
 * </ol>
 */
final class FilterBuilder {

  private static final int ATTEMPTS_WITH_EQUALS = 4;
  private static final int MAX_ATTEMPTS = 100;
  private static final long NEXT_SEED = 0xD1342543DE82EF95L;

  /** Memory for more keys than this is not kept. */
  private static final int MAX_KEPT_KEYS = 1 << 18;

  private long[] sums = {};
  private byte[] counts = {};
  private int[] alone = {};
  private long[] order = {};
  private int[] places = {};
  private long found;

  /**
   * Writes the fingerprints into zeroed bytes, {@link FilterShape#bytes} of them.
   *
   * @param hashes of the shape's keys, from index 0
   * @return false if they find no places, which only keys made for that can bring about
   */
  boolean build(long[] hashes, FilterShape shape, long seed, byte[] target, int start) {
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

  /** The seed with which it succeeded, to be given to {@link Filter}. */
  long seed() {
    return found;
  }

  private void reserve(FilterShape shape) {
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

  /** Steps 1 and 2; false if keys are left. */
  private boolean order(long[] hashes, int keys, FilterShape shape, long seed) {
    int segment = shape.segmentPlaces();
    int firsts = shape.firsts();
    Arrays.fill(sums, 0, shape.places(), 0);
    Arrays.fill(counts, 0, shape.places(), (byte) 0);
    for (int i = 0; i < keys; i++) {
      long mixed = Filter.mix(hashes[i], seed);
      int first = FilterShape.first(mixed, firsts);
      int second = FilterShape.second(mixed, first, segment);
      int third = FilterShape.third(mixed, first, segment);
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
      int first = FilterShape.first(mixed, firsts);
      waiting = takeOut(mixed, first, waiting);
      waiting = takeOut(mixed, FilterShape.second(mixed, first, segment), waiting);
      waiting = takeOut(mixed, FilterShape.third(mixed, first, segment), waiting);
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

  /** Step 3, for one key; nothing is set yet at its own place. */
  private static void set(long mixed, int own, FilterShape shape, byte[] target, int start) {
    int first = FilterShape.first(mixed, shape.firsts());
    int second = FilterShape.second(mixed, first, shape.segmentPlaces());
    int third = FilterShape.third(mixed, first, shape.segmentPlaces());
    int bits = shape.bits();
    int print =
        Filter.fingerprint(mixed)
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
