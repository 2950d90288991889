// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what falls on shards of the keys, once somebody has said where these end. Counting makes
 * no garbage. Safe to share between threads; what is counted while the ends change may fall on a
 * neighbour.
 */
public final class KeyShards {

  /** No more shards than so many are told apart. */
  public static final int MOST = 8;

  private final LongAdder[] counts = new LongAdder[MOST];
  private volatile byte[][] ends = new byte[0][];

  /** Counts nothing yet. */
  public KeyShards() {
    for (int i = 0; i < MOST; i++) {
      counts[i] = new LongAdder();
    }
  }

  /**
   * Counts by other shards from now on.
   *
   * @param next the last key of each shard but the last, ascending; taken. None where nothing is to
   *     be counted
   */
  public void ends(byte[][] next) {
    ends = next;
  }

  /** Counts one for a key. */
  public void count(byte[] key, int from, int length) {
    byte[][] now = ends;
    if (now.length > 0) {
      counts[shard(now, key, from, length)].increment();
    }
  }

  /** Counts one for what lies behind all keys. */
  public void countLast() {
    int last = ends.length;
    if (last > 0) {
      counts[last].increment();
    }
  }

  /**
   * Counts a number for keys from one to another, both inclusive: each shard gets an equal part.
   */
  public void count(byte[] low, byte[] high, long number) {
    byte[][] now = ends;
    if (now.length > 0) {
      int first = shard(now, low, 0, low.length);
      int last = shard(now, high, 0, high.length);
      for (int shard = first; shard <= last; shard++) {
        counts[shard].add(number / (last - first + 1));
      }
    }
  }

  private static int shard(byte[][] ends, byte[] key, int from, int length) {
    int shard = 0;
    while (shard < ends.length
        && Bytes.compare(key, from, length, ends[shard], 0, ends[shard].length) > 0) {
      shard++;
    }
    return shard;
  }

  /** What was counted for a shard, 0 having the lowest keys; never falls. */
  public long counted(int shard) {
    return counts[shard].sum();
  }
}
