// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read.stats;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Histogram of durations whose ranges have a relative width of at most one eighth. Counting takes a
 * few nanoseconds and allocates nothing. Safe to share between threads.
 */
public final class ConcurrentLatencyHistogram {

  /** Binary logarithm of the number of ranges per doubling of the duration. */
  private static final int STEP_BITS = 3;

  private static final int STEPS = 1 << STEP_BITS;

  private final AtomicLongArray counts = new AtomicLongArray((Long.SIZE - STEP_BITS) * STEPS);

  /** Creates an empty histogram. */
  public ConcurrentLatencyHistogram() {}

  public void add(long nanos) {
    counts.getAndIncrement(range(Math.max(0, nanos)));
  }

  /** Returns the number of durations. */
  public long count() {
    long sum = 0;
    for (int i = 0; i < counts.length(); i++) {
      sum += counts.get(i);
    }
    return sum;
  }

  /**
   * Returns a quantile in nanoseconds, at most an eighth too high, or 0 if the histogram is empty.
   *
   * @param share from 0 to 1, such as 0.99 for the 99th percentile
   */
  public long nanos(double share) {
    long left = (long) Math.ceil(share * count());
    if (left == 0) {
      return 0;
    }
    int range = 0;
    while (range < counts.length() - 1) {
      left -= counts.get(range);
      if (left <= 0) {
        break;
      }
      range++;
    }
    return end(range);
  }

  private static int range(long nanos) {
    if (nanos < STEPS) {
      return (int) nanos;
    }
    int doublings = Long.SIZE - 1 - STEP_BITS - Long.numberOfLeadingZeros(nanos);
    return (doublings << STEP_BITS) + (int) (nanos >>> doublings);
  }

  /** Returns the longest duration in a range, in nanoseconds. */
  private static long end(int range) {
    if (range < 2 * STEPS) {
      return range;
    }
    int doublings = (range >>> STEP_BITS) - 1;
    long first = (long) (STEPS + (range & (STEPS - 1))) << doublings;
    return first + (1L << doublings) - 1;
  }
}
