// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.util.Arrays;

/**
 * The interval that holds the median of what some values were drawn from with a chance of at least
 * 95 %, whatever their law. Of fewer than six values it is their range, and the chance is less.
 */
public record MedianInterval(double low, double high) {

  private static final double OUTSIDE_ONE_END = 0.025;

  /** Of at least one value. */
  public static MedianInterval of(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int below = below(sorted.length);
    return new MedianInterval(sorted[below], sorted[sorted.length - 1 - below]);
  }

  /**
   * How many of so many values, from the smallest on, lie outside; as many of the largest do. The
   * chance that at most j of n values lie below the median is that of at most j heads in n throws.
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
