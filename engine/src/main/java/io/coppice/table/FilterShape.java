// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

/**
 * How the fingerprints of a filter are arranged: places in segments of one length, a power of two.
 * A key has one place in each of three consecutive segments. Both numbers follow from the number of
 * keys, so that a filter's size is known before it is read; they are persisted, as bytes lie by
 * them. Source: Graf, Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters" (2022),
 * section 4, for three places.
 *
 * @param keys for which it is made, at least 1
 * @param bits of a fingerprint, {@value #MIN_BITS} to {@value #MAX_BITS}
 * @param segmentPlaces places of a segment
 * @param firsts places on which a key's first may fall: those of all segments but the last two
 */
record FilterShape(int keys, int bits, int segmentPlaces, int firsts) {

  static final int MIN_BITS = 5;
  static final int MAX_BITS = 16;

  /** 2^26 places of 1.13 a key in 16 bits are 144 MiB, which one array holds. */
  static final int MAX_KEYS = 1 << 26;

  /** A fingerprint is taken out of four bytes; behind the last one there must be so many more. */
  private static final int SLACK_BYTES = Integer.BYTES - 1;

  private static final int MIN_SEGMENT_PLACES = 4;

  static FilterShape of(int keys, int bits) {
    assert keys >= 1 && keys <= MAX_KEYS : keys;
    assert bits >= MIN_BITS && bits <= MAX_BITS : bits;
    double log = StrictMath.log(keys);
    int segment =
        Math.max(
            MIN_SEGMENT_PLACES, 1 << (int) StrictMath.floor(log / StrictMath.log(3.33) + 2.25));
    double placesAKey =
        keys == 1 ? 2 : Math.max(1.125, 0.875 + 0.25 * StrictMath.log(1_000_000) / log);
    long wanted = Math.round(keys * placesAKey);
    int segments = (int) Math.max(3, (wanted + segment - 1) / segment);
    return new FilterShape(keys, bits, segment, (segments - 2) * segment);
  }

  /** All places. */
  int places() {
    return firsts + 2 * segmentPlaces;
  }

  /** Bytes of the fingerprints of all places. */
  int bytes() {
    return (int) (((long) places() * bits + Byte.SIZE - 1) / Byte.SIZE) + SLACK_BYTES;
  }

  /** A key's first place, by the upper half of its mixed hash. */
  static int first(long mixed, int firsts) {
    return (int) (((mixed >>> 32) * firsts) >>> 32);
  }

  /** Its place in the next segment. */
  static int second(long mixed, int first, int segmentPlaces) {
    return (first + segmentPlaces) ^ ((int) (mixed >>> 18) & (segmentPlaces - 1));
  }

  /** Its place in the segment after that. */
  static int third(long mixed, int first, int segmentPlaces) {
    return (first + 2 * segmentPlaces) ^ ((int) mixed & (segmentPlaces - 1));
  }
}
