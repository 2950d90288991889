// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import java.util.Arrays;

/**
 * Confidence interval of a median at 95 % or more, for any distribution. With fewer than six values
 * it is their range, and the confidence is lower.
 */
public record MedianInterval(double low, double high) {

  private static final double OUTSIDE_ONE_END = 0.025;

  /**
   * Returns the interval of the median.
   *
   * @param values at least one
   */
  public static MedianInterval of(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int below = below(sorted.length);
    return new MedianInterval(sorted[below], sorted[sorted.length - 1 - below]);
  }

  /**
   * Returns the number of values below the interval, which equals the number above. The probability
   * that at most j of n values are below the median is that of at most j heads in n coin tosses.
   */
  static int below(int values) {
    double chance = Math.pow(0.5, values);
    double sum = chance;
    int below = 0;
    while (sum + chance * (values - below) / (below + 1) <= OUTSIDE_ONE_END) {
      chance = chance * (values - below) / (below + 1);
      sum += chance;
      below++;
    }
    return below;
  }
}
