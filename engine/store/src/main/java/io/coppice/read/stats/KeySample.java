// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read.stats;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Hashes of the last sampled keys that one thread looked up. Only that thread adds; any thread may
 * read, and may see a hash newer than expected.
 */
public final class KeySample {

  /** Capacity; a power of two. */
  static final int SIZE = 256;

  /** Ring of hashes; the last element counts all additions. */
  private final AtomicLongArray hashes = new AtomicLongArray(SIZE + 1);

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
   * Copies the hashes added between two counts that the ring still holds, as far as the target has
   * room.
   *
   * @return the position after the last copied hash
   */
  public int copy(long from, long to, long[] target, int at) {
    int next = at;
    for (long i = Math.max(from, to - SIZE); i < to && next < target.length; i++) {
      target[next++] = hashes.getOpaque((int) (i & (SIZE - 1)));
    }
    return next;
  }
}
