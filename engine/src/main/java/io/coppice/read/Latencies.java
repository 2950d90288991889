// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long things took, as counts in ranges of time, each an eighth wider than the one before at
 * most. Takes a few nanoseconds and no memory to count in. Safe to share between threads.
 */
public final class Latencies {

  /** Ranges for each doubling, as a power of two. */
  private static final int STEP_BITS = 3;

  private static final int STEPS = 1 << STEP_BITS;

  private final AtomicLongArray counts = new AtomicLongArray((Long.SIZE - STEP_BITS) * STEPS);

  /** Makes an empty one. */
  Latencies() {}

  void add(long nanos) {
    counts.getAndIncrement(range(Math.max(0, nanos)));
  }

  /** How many were counted. */
  public long count() {
    long sum = 0;
    for (int i = 0; i < counts.length(); i++) {
      sum += counts.get(i);
    }
    return sum;
  }

  /**
   * Nanoseconds within which a share of them stayed, from 0 to 1; an eighth too many at most. 0 if
   * nothing was counted.
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

  /** The last number in a range. */
  private static long end(int range) {
    if (range < 2 * STEPS) {
      return range;
    }
    int doublings = (range >>> STEP_BITS) - 1;
    long first = (long) (STEPS + (range & (STEPS - 1))) << doublings;
    return first + (1L << doublings) - 1;
  }
}
