// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import java.util.Arrays;

/**
 * Range of user keys {@code (low, high]}: the part of a table that a slice shows. A value; the
 * arrays are shared and must not be modified.
 *
 * @param low exclusive; null for unbounded
 * @param high inclusive; null for unbounded
 */
public record KeyWindow(byte[] low, byte[] high) {

  /** Window of all keys. */
  public static final KeyWindow ALL = new KeyWindow(null, null);

  /**
   * Checks the order of the bounds: a window contains at least one possible key.
   *
   * @throws IllegalArgumentException if the low bound is at or above the high one
   */
  public KeyWindow {
    if (low != null && high != null && Arrays.compareUnsigned(low, high) >= 0) {
      throw new IllegalArgumentException("the low bound of a window must be below its high bound");
    }
  }

  /** Returns this window with a higher low bound, exclusive. */
  public KeyWindow above(byte[] newLow) {
    return new KeyWindow(newLow, high);
  }

  /** Returns whether the key is inside. */
  public boolean contains(byte[] key, int offset, int length) {
    return isAboveLow(key, offset, length) && isWithinHigh(key, offset, length);
  }

  /** Returns whether the key is above the low bound. */
  public boolean isAboveLow(byte[] key, int offset, int length) {
    return low == null
        || Arrays.compareUnsigned(key, offset, offset + length, low, 0, low.length) > 0;
  }

  /** Returns whether the key is at most the high bound. */
  public boolean isWithinHigh(byte[] key, int offset, int length) {
    return high == null
        || Arrays.compareUnsigned(key, offset, offset + length, high, 0, high.length) <= 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyWindow that
        && Arrays.equals(low, that.low)
        && Arrays.equals(high, that.high);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(low) + Arrays.hashCode(high);
  }
}
