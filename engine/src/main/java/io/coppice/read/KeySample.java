// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Hashes of the last keys that one thread looked up, of those that it samples. Only that thread
 * adds; any may read, and may see a hash that is newer than it expects.
 */
final class KeySample {

  /** How many are kept; a power of two. */
  static final int SIZE = 256;

  /** The last element counts those that were ever added. */
  private final AtomicLongArray hashes = new AtomicLongArray(SIZE + 1);

  void add(long hash) {
    long added = hashes.getPlain(SIZE);
    hashes.setOpaque((int) (added & (SIZE - 1)), hash);
    hashes.setRelease(SIZE, added + 1);
  }

  /** How many were ever added. */
  long added() {
    return hashes.getAcquire(SIZE);
  }

  /**
   * Copies those that are still kept of what was added between two counts, as many as there is room
   * for.
   *
   * @return where the next one goes
   */
  int copy(long from, long to, long[] target, int at) {
    int next = at;
    for (long i = Math.max(from, to - SIZE); i < to && next < target.length; i++) {
      target[next++] = hashes.getOpaque((int) (i & (SIZE - 1)));
    }
    return next;
  }
}
