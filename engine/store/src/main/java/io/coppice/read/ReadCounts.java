// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Lookup counters of one thread. Only that thread counts; any thread may read slightly old values.
 * The class is open because of {@link None}, which the JVM loads only if counting is off; otherwise
 * the compiler knows that there is a single implementation.
 */
class ReadCounts {

  /** Counters that stay constant, so that no lookup is ever sampled. */
  static final class None extends ReadCounts {
    @Override
    void add(int what, long count) {
      // Counting is off.
    }

    @Override
    long own(int what) {
      return 1;
    }
  }

  static final int LOOKUPS = 0;
  static final int TABLES = 1;
  static final int BLOCKS = 2;
  static final int BLOCK_BYTES = 3;
  static final int FOUND_BYTES = 4;
  static final int TRUE_POSITIVES = 5;
  static final int FALSE_POSITIVES = 6;
  static final int BATCHES = 7;
  static final int BATCH_READS = 8;
  static final int WASTED_READS = 9;

  /** Lookups that found nothing. */
  static final int MISSES = 10;

  /** Total nanoseconds of single lookups, extrapolated from the timed ones. */
  static final int NANOS = 11;

  /** Number of counters. */
  static final int SIZE = 12;

  /** Array length that keeps the counters two cache lines apart from those of other threads. */
  private static final int PADDED = 32;

  private final AtomicLongArray counts = new AtomicLongArray(PADDED);

  void add(int what, long count) {
    counts.setOpaque(what, counts.getPlain(what) + count);
  }

  /** Returns a counter as the counting thread sees it. */
  long own(int what) {
    return counts.getPlain(what);
  }

  /** Adds all counters to a sum. */
  void addTo(long[] sum) {
    for (int i = 0; i < SIZE; i++) {
      sum[i] += counts.getOpaque(i);
    }
  }
}
