// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.filter;

/**
 * Arrangement of the places of a binary fuse filter: segments of one length, a power of two. A key
 * has one place in each of three consecutive segments. Both numbers follow from the number of keys,
 * so a filter's size is known before it is read. They are part of the file format. Source: Graf,
 * Lemire, "Binary Fuse Filters: Fast and Smaller Than Xor Filters" (2022), section 4, for three
 * places.
 *
 * @param keys number of keys, at least 1
 * @param bits bits per fingerprint, {@value #MIN_BITS} to {@value #MAX_BITS}
 * @param segmentPlaces places per segment
 * @param firsts places that can be a key's first: those of all segments except the last two
 */
public record FilterGeometry(int keys, int bits, int segmentPlaces, int firsts) {

  static final int MIN_BITS = 5;
  static final int MAX_BITS = 16;

  /**
   * Maximum number of keys of a filter; 1.13 places of 16 bits per key are 144 MiB, which one array
   * can hold.
   */
  public static final int MAX_KEYS = 1 << 26;

  /** Bytes after the last place: a fingerprint is read as part of a four-byte word. */
  private static final int SLACK_BYTES = Integer.BYTES - 1;

  private static final int MIN_SEGMENT_PLACES = 4;

  public static FilterGeometry of(int keys, int bits) {
    assert keys >= 1 && keys <= MAX_KEYS : keys;
    assert bits >= MIN_BITS && bits <= MAX_BITS : bits;
    double log = StrictMath.log(keys);
    int segment =
        Math.max(
            MIN_SEGMENT_PLACES, 1 << (int) StrictMath.floor(log / StrictMath.log(3.33) + 2.25));
    double placesPerKey =
        keys == 1 ? 2 : Math.max(1.125, 0.875 + 0.25 * StrictMath.log(1_000_000) / log);
    long wanted = Math.round(keys * placesPerKey);
    int segments = (int) Math.max(3, (wanted + segment - 1) / segment);
    return new FilterGeometry(keys, bits, segment, (segments - 2) * segment);
  }

  /** Returns the number of places in all segments. */
  int places() {
    return firsts + 2 * segmentPlaces;
  }

  /** Returns the bytes of all fingerprints, with the bytes after the last place. */
  public int bytes() {
    return (int) (((long) places() * bits + Byte.SIZE - 1) / Byte.SIZE) + SLACK_BYTES;
  }

  /** Returns a key's first place, from the upper half of its mixed hash. */
  static int first(long mixed, int firsts) {
    return (int) (((mixed >>> 32) * firsts) >>> 32);
  }

  /** Returns a key's place in the segment after its first. */
  static int second(long mixed, int first, int segmentPlaces) {
    return (first + segmentPlaces) ^ ((int) (mixed >>> 18) & (segmentPlaces - 1));
  }

  /** Returns a key's place in the second segment after its first. */
  static int third(long mixed, int first, int segmentPlaces) {
    return (first + 2 * segmentPlaces) ^ ((int) mixed & (segmentPlaces - 1));
  }
}
