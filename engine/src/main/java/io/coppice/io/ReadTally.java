// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A count that many threads raise: each raises a counter in a cache line that few others write to.
 * Threads that share a counter may lose what one of them counts.
 */
final class ReadTally {

  /** A power of two. */
  private static final int COUNTERS = 64;

  /** Two cache lines, because processors fetch lines in pairs. */
  private static final int LONGS_APART = 16;

  /** A power of two. */
  private static final int TOLD_ONE_IN = 16;

  private final AtomicLongArray counters = new AtomicLongArray((COUNTERS + 1) * LONGS_APART);

  /** Counts one; returns true for one in 16 calls of a thread. */
  boolean increment() {
    int at = ((int) Thread.currentThread().getId() & COUNTERS - 1) * LONGS_APART + LONGS_APART / 2;
    long count = counters.getPlain(at) + 1;
    counters.setOpaque(at, count);
    return (count & TOLD_ONE_IN - 1) == 0;
  }

  /** Returns the count so far. */
  long sum() {
    long sum = 0;
    for (int i = 0; i < COUNTERS; i++) {
      sum += counters.getOpaque(i * LONGS_APART + LONGS_APART / 2);
    }
    return sum;
  }
}
