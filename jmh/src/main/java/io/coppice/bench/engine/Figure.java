// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.report.DataTable;
import io.coppice.bench.store.Benchmark;
import java.util.List;

/**
 * One figure of the report: a row of {@code figures.txt}.
 *
 * @param id end of the row's id in the report; never renamed
 * @param decimals digits after the decimal point
 * @param better direction of improvement; null for a neutral fact
 * @param of expression for {@link CellResult#figure}
 * @param kinds kinds of workloads that have this figure; empty for all
 */
record Figure(String id, String label, int decimals, Better better, String of, List<String> kinds) {

  /** Direction of an improvement. */
  enum Better {
    HIGHER,
    LOWER
  }

  private static final List<Figure> ALL = DataTable.rows(Figure.class, "figures.txt");

  /** Returns the figures of a workload. */
  static List<Figure> of(Benchmark benchmark) {
    String kind = benchmark.figures();
    return ALL.stream()
        .filter(figure -> figure.kinds.isEmpty() || figure.kinds.contains(kind))
        .toList();
  }

  /** Returns the ratio of the figures: above 1 if Coppice is better, NaN for a neutral fact. */
  double ratio(CellResult ours, CellResult peer) {
    if (better == null) {
      return Double.NaN;
    }
    double quotient = ours.figure(of) / peer.figure(of);
    return better == Better.HIGHER ? quotient : 1 / quotient;
  }
}
