// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import java.util.Arrays;
import java.util.List;

/** Median of some figures with their smallest and largest value. */
public record RepeatSpread(double median, double low, double high) {

  /** Spread of an empty set of figures. */
  public static final RepeatSpread NOTHING = new RepeatSpread(Double.NaN, Double.NaN, Double.NaN);

  /** Returns the spread of at least one figure. */
  public static RepeatSpread of(double[] figures) {
    double[] sorted = figures.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new RepeatSpread(median, sorted[0], sorted[sorted.length - 1]);
  }

  /** Returns the width of the range divided by the median; 0 if the median is 0. */
  public double share() {
    return median == 0 ? 0 : (high - low) / median;
  }

  /** Returns both ends of the range, rounded to thousandths. */
  public List<Double> range() {
    return Arrays.asList(ReportJson.rounded(low), ReportJson.rounded(high));
  }
}
