// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.Coding;

/**
 * The 64-bit hash of a user key, on which filters stand. Its values are persisted in filters and in
 * the key digest of tables, so the function never changes. Source: MurmurHash64A by Austin Appleby,
 * placed in the public domain, with the seed below.
 */
public final class KeyHash {

  private static final long SEED = 0x436F7070696365L;
  private static final long MULTIPLIER = 0xC6A4A7935BD1E995L;
  private static final int SHIFT = 47;

  private KeyHash() {}

  /** The hash of the range. */
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
   * The digest of a set of keys with one more in it; 0 is the digest of none. It tells whether a
   * filter was made from exactly the keys of a table, whatever the order.
   */
  static long addToDigest(long digest, long hash) {
    return digest + scramble(hash);
  }

  private static long scramble(long word) {
    long scrambled = word * MULTIPLIER;
    return (scrambled ^ (scrambled >>> SHIFT)) * MULTIPLIER;
  }
}
