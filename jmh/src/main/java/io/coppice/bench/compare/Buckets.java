// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

/**
 * Reader of Cassandra's estimated histograms: bucket i counts the values from the bound of bucket i
 * - 1, exclusive, to its own bound, inclusive.
 */
final class Buckets {

  /** Growth factor of the bounds. Each is rounded and exceeds the one before by at least one. */
  private static final double GROWTH = 1.2;

  private Buckets() {}

  /**
   * Returns the mean of the values that were added between two readings of a histogram. Each value
   * counts as the bound of its bucket, which is exact up to 8.
   *
   * @return 0 if nothing was added
   */
  static double mean(long[] before, long[] after) {
    long count = 0;
    double sum = 0;
    long bound = 0;
    for (int i = 0; i < after.length; i++) {
      long added = after[i] - (i < before.length ? before[i] : 0);
      count += added;
      sum += (double) added * bound;
      bound = next(bound);
    }
    return count == 0 ? 0 : sum / count;
  }

  private static long next(long bound) {
    return bound == 0 ? 1 : Math.max(bound + 1, Math.round(bound * GROWTH));
  }
}
