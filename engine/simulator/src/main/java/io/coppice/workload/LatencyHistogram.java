// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.workload;

/**
 * Histogram of durations whose buckets are at most a 128th of their values wide. It counts every
 * operation, so it includes rare ones that a sample would miss. Used by one thread; the counts of
 * several threads are added afterwards.
 */
public final class LatencyHistogram {

  private static final int STEP_BITS = 7;
  private static final int STEPS = 1 << STEP_BITS;

  /**
   * Number of buckets of a histogram. The first 2 * STEPS have one value each; then STEPS follow
   * for each further power of two.
   */
  private static final int BUCKETS = (Long.SIZE - STEP_BITS) * STEPS;

  private final long[] counts = new long[BUCKETS];
  private long count;
  private long sum;
  private long max;

  /** Counts an operation of this duration in nanoseconds; a negative one counts as 0. */
  public void record(long nanos) {
    long taken = Math.max(0, nanos);
    counts[bucket(taken)]++;
    count++;
    sum += taken;
    max = Math.max(max, taken);
  }

  /** Adds all counts of another histogram. */
  public void add(LatencyHistogram other) {
    for (int i = 0; i < BUCKETS; i++) {
      counts[i] += other.counts[i];
    }
    count += other.count;
    sum += other.sum;
    max = Math.max(max, other.max);
  }

  /** Returns the number of operations. */
  public long count() {
    return count;
  }

  /** Returns the total duration in nanoseconds. */
  public long sumNanos() {
    return sum;
  }

  /** Returns the longest duration in nanoseconds, or 0 if there is none. */
  public long maxNanos() {
    return max;
  }

  /**
   * Returns a quantile in nanoseconds, at most a 128th too high, or 0 if there is no operation.
   *
   * @param share from 0 to 1, such as 0.99
   */
  public long nanosAt(double share) {
    long rank = Math.max(1, (long) Math.ceil(share * count));
    long seen = 0;
    for (int i = 0; i < BUCKETS && count > 0; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return Math.min(max, largest(i));
      }
    }
    return max;
  }

  private static int bucket(long value) {
    int shift = Math.max(0, Long.SIZE - 1 - STEP_BITS - Long.numberOfLeadingZeros(value | 1));
    return shift * STEPS + (int) (value >>> shift);
  }

  /** Returns the largest duration that a bucket counts, in nanoseconds. */
  private static long largest(int bucket) {
    int shift = Math.max(0, bucket / STEPS - 1);
    long from = (long) (bucket - shift * STEPS) << shift;
    return from + (1L << shift) - 1;
  }
}
