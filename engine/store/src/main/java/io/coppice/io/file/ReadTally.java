// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Approximate count that many threads increment. Each thread increments a counter in a cache line
 * that few others write to. Threads that share a counter may lose increments.
 */
final class ReadTally {

  /** Number of counters, a power of two. */
  private static final int COUNTERS = 64;

  /** Distance between two counters: two cache lines, because processors fetch lines in pairs. */
  private static final int LONGS_APART = 16;

  /** Number of increments of a counter per true result of {@link #increment}, a power of two. */
  private static final int TRUE_ONE_IN = 16;

  private final AtomicLongArray counters = new AtomicLongArray((COUNTERS + 1) * LONGS_APART);

  /**
   * Increments the count by one. Returns true at every 16th increment of the counter that the
   * thread shares.
   */
  boolean increment() {
    int at = ((int) Thread.currentThread().getId() & COUNTERS - 1) * LONGS_APART + LONGS_APART / 2;
    long count = counters.getPlain(at) + 1;
    counters.setOpaque(at, count);
    return (count & TRUE_ONE_IN - 1) == 0;
  }

  /** Returns the approximate count. */
  long sum() {
    long sum = 0;
    for (int i = 0; i < COUNTERS; i++) {
      sum += counters.getOpaque(i * LONGS_APART + LONGS_APART / 2);
    }
    return sum;
  }
}
