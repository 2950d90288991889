// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import io.coppice.Cursor;
import java.util.Arrays;

/**
 * Key interval of a scan, which estimates the position of a key in it. Keys are assumed to be
 * evenly distributed. The estimate uses the first six bytes from where the two end keys differ.
 * Immutable.
 */
final class ScanProgress {

  private static final int BYTES = 6;

  private final int from;
  private final double begin;
  private final double end;

  private ScanProgress(byte[] begin, byte[] end) {
    int mismatch = Arrays.mismatch(begin, end);
    this.from = Math.max(0, mismatch);
    this.begin = number(begin);
    this.end = number(end);
  }

  /** Returns the interval from the first to the last key of a cursor, and moves the cursor. */
  static ScanProgress of(Cursor cursor, boolean reverse) {
    cursor.first();
    byte[] first = cursor.valid() ? cursor.key() : new byte[0];
    cursor.last();
    byte[] last = cursor.valid() ? cursor.key() : new byte[0];
    return reverse ? between(last, first) : between(first, last);
  }

  /**
   * Returns the interval of a scan from one key to another; {@code end} is the smaller one in a
   * backward scan.
   */
  static ScanProgress between(byte[] begin, byte[] end) {
    return new ScanProgress(begin, end);
  }

  /** Returns the position of a key in the interval, from 0 at its begin to 1. */
  double share(byte[] key) {
    return begin == end ? 1 : Math.min(1, Math.max(0, (number(key) - begin) / (end - begin)));
  }

  /** Returns the six bytes of a key after the common prefix of the two end keys, as a number. */
  private double number(byte[] key) {
    long number = 0;
    for (int i = from; i < from + BYTES; i++) {
      number = number << Byte.SIZE | (i < key.length ? key[i] & 0xFF : 0);
    }
    return number;
  }
}
