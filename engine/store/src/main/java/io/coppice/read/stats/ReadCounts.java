// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read.stats;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Lookup counters of one thread. Only that thread counts; any thread may read slightly old values.
 * The class is open because of {@link None}, which the JVM loads only if counting is off; otherwise
 * the compiler knows that there is a single implementation.
 */
public class ReadCounts {

  /**
   * Counters that stay constant, so that no lookup is ever sampled. Safe to share between threads.
   */
  public static final class None extends ReadCounts {
    @Override
    public void add(int what, long count) {
      // Counting is off.
    }

    @Override
    public long own(int what) {
      return 1;
    }
  }

  public static final int LOOKUPS = 0;
  public static final int TABLES = 1;
  public static final int BLOCKS = 2;
  public static final int BLOCK_BYTES = 3;
  public static final int FOUND_BYTES = 4;
  public static final int TRUE_POSITIVES = 5;
  public static final int FALSE_POSITIVES = 6;
  public static final int BATCHES = 7;
  public static final int BATCH_READS = 8;
  public static final int WASTED_READS = 9;

  /** Index of the counter of lookups that found nothing. */
  public static final int MISSES = 10;

  /**
   * Index of the total duration of single lookups in nanoseconds, extrapolated from the timed ones.
   */
  public static final int NANOS = 11;

  /** Number of counters of a thread. */
  public static final int SIZE = 12;

  /** Array length that keeps the counters two cache lines apart from those of other threads. */
  private static final int PADDED = 32;

  private final AtomicLongArray counts = new AtomicLongArray(PADDED);

  /**
   * Adds to a counter. Called by the counting thread.
   *
   * @param what index of the counter, one of the constants of this class
   */
  public void add(int what, long count) {
    counts.setOpaque(what, counts.getPlain(what) + count);
  }

  /** Returns the present value of a counter. Called by the counting thread. */
  public long own(int what) {
    return counts.getPlain(what);
  }

  /**
   * Adds the value of each counter to the element of the same index.
   *
   * @param sum at least {@link #SIZE} elements
   */
  public void addTo(long[] sum) {
    for (int i = 0; i < SIZE; i++) {
      sum[i] += counts.getOpaque(i);
    }
  }
}
