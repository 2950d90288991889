// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.shape;

import io.coppice.base.bytes.Bytes;
import java.util.Map;
import java.util.TreeMap;

/**
 * Even numbers that represent keys in key order. They are far apart, so that a key between two
 * others leaves their numbers unchanged. Used by one thread.
 */
final class KeyRanks {

  /** Upper bound of half a rank, exclusive, so that every rank is a positive int or 0. */
  private static final int MOST = 1 << 30;

  private final TreeMap<byte[], Integer> halves = new TreeMap<>(Bytes.ORDER);
  private final int step;
  private final int maxKeys;

  /** Ranks distinct keys, given in ascending order, over the middle half of all numbers. */
  KeyRanks(byte[][] keys) {
    step = Math.max(1, MOST / 2 / (keys.length + 1));
    maxKeys = 256 + 2 * keys.length;
    for (int i = 0; i < keys.length; i++) {
      halves.put(keys[i], MOST / 4 + i * step);
    }
  }

  /**
   * Gives a key a rank if it has none. Returns whether it has one now; false if there is no free
   * rank at its place or there are too many keys.
   */
  boolean add(byte[] key) {
    if (halves.containsKey(key)) {
      return true;
    }
    Map.Entry<byte[], Integer> below = halves.lowerEntry(key);
    Map.Entry<byte[], Integer> above = halves.higherEntry(key);
    int from = below == null ? -1 : below.getValue();
    int to = above == null ? MOST : above.getValue();
    if (to - from < 2 || halves.size() >= maxKeys) {
      return false;
    }
    // Keys between two others mostly arrive in ascending order.
    int room = below == null || above == null ? Math.min(step, (to - from) / 2) : (to - from) / 4;
    int distance = Math.max(1, room);
    halves.put(key, below == null ? to - distance : from + distance);
    return true;
  }

  /** Returns the rank of an added key: even, at least 0 and larger for a larger key. */
  int of(byte[] key) {
    return 2 * halves.get(key);
  }
}
