// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.bytes;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Order of keys and of all other bytes: unsigned, byte by byte, with a prefix before its
 * extensions. Ranges are given as array, index of the first byte, and length.
 */
public final class Bytes {

  /** Shared empty byte array. */
  public static final byte[] EMPTY = new byte[0];

  /** Comparator of whole arrays: unsigned, byte by byte, with a prefix before its extensions. */
  public static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

  private Bytes() {}

  /**
   * Compares two ranges of bytes. The result is negative, zero or positive if range a sorts before,
   * equal to or after range b.
   */
  public static int compare(byte[] a, int aFrom, int aLength, byte[] b, int bFrom, int bLength) {
    return Arrays.compareUnsigned(a, aFrom, aFrom + aLength, b, bFrom, bFrom + bLength);
  }

  /** Compares two whole arrays like {@link #compare(byte[], int, int, byte[], int, int)}. */
  public static int compare(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b);
  }

  /** Returns whether both ranges have the same bytes. */
  public static boolean equal(byte[] a, int aFrom, int aLength, byte[] b, int bFrom, int bLength) {
    return Arrays.equals(a, aFrom, aFrom + aLength, b, bFrom, bFrom + bLength);
  }

  /** Returns the number of bytes that both ranges begin with. */
  public static int commonPrefix(
      byte[] a, int aFrom, int aLength, byte[] b, int bFrom, int bLength) {
    int mismatch = Arrays.mismatch(a, aFrom, aFrom + aLength, b, bFrom, bFrom + bLength);
    return mismatch < 0 ? aLength : mismatch;
  }

  /**
   * Returns the first eight bytes of a range as a big-endian number, padded with zeros. Different
   * results order their ranges under {@link Long#compareUnsigned}; equal ones leave it to a full
   * comparison.
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

  /** Returns a copy of the range. */
  public static byte[] copy(byte[] bytes, int from, int length) {
    return Arrays.copyOfRange(bytes, from, from + length);
  }

  /**
   * Returns the distinct keys in ascending order, in a new array that shares them. The given array
   * is reordered, and duplicates may replace keys in it.
   */
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
