// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * A figure over the repeats of one strategy: the median, and the distance of lowest and highest.
 */
record Spread(double median, double range) {

  /** Of the runs that have the figure; not a number if none has. */
  static Spread of(List<RunResult> runs, ToDoubleFunction<RunResult> figure) {
    double[] sorted =
        runs.stream().mapToDouble(figure).filter(value -> !Double.isNaN(value)).sorted().toArray();
    if (sorted.length == 0) {
      return new Spread(Double.NaN, Double.NaN);
    }
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(median, sorted[sorted.length - 1] - sorted[0]);
  }
}
