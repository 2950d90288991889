// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.Arrays;
import java.util.Comparator;

/**
 * The order of keys and of everything else that is compared as bytes: unsigned, byte by byte, a
 * prefix before what it begins. All ranges are given as array, position of the first byte, length.
 */
public final class Bytes {

  /** No bytes. */
  public static final byte[] EMPTY = new byte[0];

  /** The order as a comparator of whole arrays. */
  public static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

  private Bytes() {}

  /** Negative, zero or positive as range a sorts before, with or after range b. */
  public static int compare(byte[] a, int aFrom, int aLength, byte[] b, int bFrom, int bLength) {
    return Arrays.compareUnsigned(a, aFrom, aFrom + aLength, b, bFrom, bFrom + bLength);
  }

  /** As above, for whole arrays. */
  public static int compare(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b);
  }

  /** True if both ranges hold the same bytes. */
  public static boolean equal(byte[] a, int aFrom, int aLength, byte[] b, int bFrom, int bLength) {
    return Arrays.equals(a, aFrom, aFrom + aLength, b, bFrom, bFrom + bLength);
  }

  /** How many leading bytes the ranges share. */
  public static int commonPrefix(
      byte[] a, int aFrom, int aLength, byte[] b, int bFrom, int bLength) {
    int mismatch = Arrays.mismatch(a, aFrom, aFrom + aLength, b, bFrom, bFrom + bLength);
    return mismatch < 0 ? aLength : mismatch;
  }

  /**
   * The first eight bytes, big-endian, filled up with zeros. Where two such numbers differ under
   * {@link Long#compareUnsigned}, they order their ranges; where they are equal, the ranges must be
   * compared in full.
   */
  public static long prefix(byte[] bytes, int from, int length) {
    if (length >= Long.BYTES) {
      return Coding.bigEndian64(bytes, from);
    }
    long prefix = 0;
    for (int i = 0; i < length; i++) {
      prefix |= (bytes[from + i] & 0xFFL) << (56 - 8 * i);
    }
    return prefix;
  }

  /** A copy of the range. */
  public static byte[] copy(byte[] bytes, int from, int length) {
    return Arrays.copyOfRange(bytes, from, from + length);
  }

  /** These keys in ascending order, each once. The array is sorted; the keys are shared. */
  public static byte[][] distinct(byte[][] keys) {
    Arrays.sort(keys, ORDER);
    int kept = 0;
    for (byte[] key : keys) {
      if (kept == 0 || !Arrays.equals(keys[kept - 1], key)) {
        keys[kept++] = key;
      }
    }
    return Arrays.copyOf(keys, kept);
  }
}
