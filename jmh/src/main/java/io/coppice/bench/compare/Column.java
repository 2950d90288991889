// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.suite.DataTable;
import io.coppice.bench.suite.Records;
import io.coppice.bench.suite.RepeatSpread;
import java.util.List;

/**
 * One figure of the report: a row of {@code columns.txt}.
 *
 * @param title heads the column
 * @param decimals shown after the point
 * @param of path of accessors from a run's result
 * @param block of the text, or empty
 */
record Column(String name, String title, int decimals, String of, String block) {

  private static final List<Column> ALL = DataTable.rows(Column.class, "columns.txt");

  /** Returns the columns of a block of the text. */
  static List<Column> block(String name) {
    return ALL.stream().filter(column -> column.block.equals(name)).toList();
  }

  static Column named(String name) {
    return ALL.stream().filter(column -> column.name.equals(name)).findFirst().orElseThrow();
  }

  /** Returns the value for a run; not a number if the run ended before it. */
  double figure(RunResult run) {
    Number number = (Number) Records.value(run, of);
    return number == null ? Double.NaN : number.doubleValue();
  }

  /** Returns the median and range over runs; {@link RepeatSpread#NOTHING} if none has a value. */
  RepeatSpread over(List<RunResult> runs) {
    double[] figures =
        runs.stream().mapToDouble(this::figure).filter(value -> !Double.isNaN(value)).toArray();
    return figures.length == 0 ? RepeatSpread.NOTHING : RepeatSpread.of(figures);
  }
}
