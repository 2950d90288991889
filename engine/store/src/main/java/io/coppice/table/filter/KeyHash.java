// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.filter;

import io.coppice.base.bytes.Coding;

/**
 * 64-bit hash of a user key, the base of all filters. Filters and the key digests of tables persist
 * its values, so the function never changes. Source: MurmurHash64A by Austin Appleby, placed in the
 * public domain, with the seed below.
 */
public final class KeyHash {

  private static final long SEED = 0x436F7070696365L;
  private static final long MULTIPLIER = 0xC6A4A7935BD1E995L;
  private static final int SHIFT = 47;

  private KeyHash() {}

  /** Returns the hash of a range of an array. */
  public static long of(byte[] key, int offset, int length) {
    long hash = SEED ^ (length * MULTIPLIER);
    int position = offset;
    int end = offset + length;
    for (; end - position >= Long.BYTES; position += Long.BYTES) {
      hash = (hash ^ scramble(Coding.fixed64(key, position))) * MULTIPLIER;
    }
    if (position < end) {
      long rest = 0;
      for (int i = end - 1; i >= position; i--) {
        rest = (rest << 8) | (key[i] & 0xFF);
      }
      hash = (hash ^ rest) * MULTIPLIER;
    }
    hash = (hash ^ (hash >>> SHIFT)) * MULTIPLIER;
    return hash ^ (hash >>> SHIFT);
  }

  /**
   * Returns the digest of a set of keys plus one more key; the digest of the empty set is 0. A
   * digest shows whether a filter was built from exactly the keys of a table, in any order.
   */
  public static long addToDigest(long digest, long hash) {
    return digest + scramble(hash);
  }

  private static long scramble(long word) {
    long scrambled = word * MULTIPLIER;
    return (scrambled ^ (scrambled >>> SHIFT)) * MULTIPLIER;
  }
}
