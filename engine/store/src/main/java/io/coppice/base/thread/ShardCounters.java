// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.thread;

import io.coppice.base.bytes.Bytes;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of events by shard of the key space, once the ends of the shards are set. Counting
 * allocates nothing. Safe to share between threads; events during a change of the ends may count
 * for a neighboring shard.
 */
public final class ShardCounters {

  /** Maximum number of shards. */
  public static final int MOST = 8;

  private final LongAdder[] counts = new LongAdder[MOST];
  private volatile byte[][] ends = new byte[0][];

  /** Creates counters that ignore events until the ends are set. */
  public ShardCounters() {
    for (int i = 0; i < MOST; i++) {
      counts[i] = new LongAdder();
    }
  }

  /**
   * Sets the shards of later events.
   *
   * @param next the last key of each shard but the last, ascending, fewer than {@link #MOST}; owned
   *     by this object. An empty array stops counting
   */
  public void ends(byte[][] next) {
    ends = next;
  }

  /** Counts an event for a key, once ends are set. */
  public void count(byte[] key, int from, int length) {
    byte[][] now = ends;
    if (now.length > 0) {
      counts[shard(now, key, from, length)].increment();
    }
  }

  /** Counts an event after all keys, such as a seek to the end. */
  public void countLast() {
    int last = ends.length;
    if (last > 0) {
      counts[last].increment();
    }
  }

  /**
   * Counts a number for the keys from {@code low} to {@code high}, both inclusive. Each shard in
   * between gets an equal part, rounded down.
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

  /**
   * Returns the count of a shard since the creation, under all ends that were set; never decreases.
   *
   * @param shard 0 for the shard with the lowest keys, below {@link #MOST}
   */
  public long counted(int shard) {
    return counts[shard].sum();
  }
}
