// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.Bytes;
import java.util.Arrays;

/**
 * Keys in ascending order, made to be searched: of each, eight bytes behind what all of them begin
 * with stand in one array of numbers, so that a step looks at a key itself only where these are
 * equal. Immutable; the arrays of the keys are shared and must not be written to.
 */
final class SortedKeys {

  private final byte[][] keys;
  private final long[] heads;

  /** How many bytes all keys begin with; those of the first key are compared. */
  private final int common;

  /** Of keys that are in order already. */
  SortedKeys(byte[][] keys) {
    this.keys = keys;
    this.heads = new long[keys.length];
    if (keys.length == 0) {
      common = 0;
      return;
    }
    byte[] first = keys[0];
    byte[] last = keys[keys.length - 1];
    common = Bytes.commonPrefix(first, 0, first.length, last, 0, last.length);
    for (int i = 0; i < keys.length; i++) {
      heads[i] = Bytes.prefix(keys[i], common, keys[i].length - common) + Long.MIN_VALUE;
    }
  }

  /** The place of the first that is at least the key; their number if there is none. */
  int ceiling(byte[] key, int offset, int length) {
    if (keys.length == 0) {
      return 0;
    }
    int shared = Bytes.commonPrefix(keys[0], 0, common, key, offset, length);
    if (shared < common) {
      boolean below = shared == length || (key[offset + shared] & 0xFF) < (keys[0][shared] & 0xFF);
      return below ? 0 : keys.length;
    }
    long head = Bytes.prefix(key, offset + common, length - common) + Long.MIN_VALUE;
    int from = 0;
    int to = heads.length;
    while (from < to) {
      int middle = (from + to) >>> 1;
      long other = heads[middle];
      if (other == head ? isBelow(keys[middle], key, offset, length) : other < head) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  private static boolean isBelow(byte[] one, byte[] key, int offset, int length) {
    return Arrays.compareUnsigned(one, 0, one.length, key, offset, offset + length) < 0;
  }
}
