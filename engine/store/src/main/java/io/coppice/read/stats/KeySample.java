// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read.stats;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Hashes of the last sampled keys that one thread looked up. Only that thread adds. Any thread may
 * read; it may see a hash that was added after the count that it read.
 */
public final class KeySample {

  /** Number of hashes kept; a power of two. */
  static final int SIZE = 256;

  /** Ring of hashes; the last element counts all additions. */
  private final AtomicLongArray hashes = new AtomicLongArray(SIZE + 1);

  /** Adds a hash, in place of the oldest one if the ring is full. */
  public void add(long hash) {
    long added = hashes.getPlain(SIZE);
    hashes.setOpaque((int) (added & (SIZE - 1)), hash);
    hashes.setRelease(SIZE, added + 1);
  }

  /** Returns the number of additions. */
  public long added() {
    return hashes.getAcquire(SIZE);
  }

  /**
   * Copies the hashes added between two values of {@link #added} that the ring still holds, oldest
   * first, as far as the target has room.
   *
   * @param from number of additions before the first hash
   * @param to number of additions up to the last hash
   * @param at index in the target of the first hash
   * @return the index after the last copied hash
   */
  public int copy(long from, long to, long[] target, int at) {
    int next = at;
    for (long i = Math.max(from, to - SIZE); i < to && next < target.length; i++) {
      target[next++] = hashes.getOpaque((int) (i & (SIZE - 1)));
    }
    return next;
  }
}
