// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import io.coppice.base.bytes.Bytes;
import java.util.Arrays;

/**
 * Searchable list of keys in ascending order. One array has, for each key, the eight bytes after
 * the common prefix of all keys; a search compares a key itself only where these are equal.
 * Immutable; callers share the key arrays and must not write to them.
 */
final class SortedKeys {

  private final byte[][] keys;
  private final long[] heads;

  /** Length of the common prefix of all keys; a search compares it with the first key. */
  private final int common;

  /** Creates the list of keys that are in ascending order. The array is shared. */
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

  /**
   * Returns the index of the first key that is at least the given one, which has {@code length}
   * bytes from {@code offset} on; the number of keys if there is none.
   */
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
