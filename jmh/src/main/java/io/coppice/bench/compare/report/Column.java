// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import io.coppice.bench.report.DataTable;
import io.coppice.bench.report.Records;
import io.coppice.bench.report.RepeatSpread;
import java.util.List;

/**
 * One figure of the report: a row of {@code columns.txt}.
 *
 * @param name key of the figure
 * @param title heading of the column
 * @param decimals digits after the decimal point
 * @param of path of accessors that leads from a {@link RunResult} to the figure
 * @param block name of the text block that shows it; empty if none does
 */
record Column(String name, String title, int decimals, String of, String block) {

  private static final List<Column> ALL = DataTable.rows(Column.class, "columns.txt");

  /** Returns the columns that a block of the text report shows. */
  static List<Column> block(String name) {
    return ALL.stream().filter(column -> column.block.equals(name)).toList();
  }

  static Column named(String name) {
    return ALL.stream().filter(column -> column.name.equals(name)).findFirst().orElseThrow();
  }

  /** Returns the figure of a run; NaN if the run ended before it was measured. */
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
