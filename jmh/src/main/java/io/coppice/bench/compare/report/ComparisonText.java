// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.report.RepeatSpread;
import io.coppice.workload.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Table of a comparison as text, with one row per strategy. Each cell holds a median with its
 * range.
 */
final class ComparisonText {

  private static final String NOTHING = "-";

  private ComparisonText() {}

  /**
   * Returns two blocks with one row per strategy: first the costs, then the internal counts.
   *
   * @param runs runs of each strategy, in the order of the rows
   */
  static List<String> lines(Map<Contender, List<RunResult>> runs) {
    List<String> lines = new ArrayList<>(block(runs, Column.block("costs")));
    lines.add("");
    lines.addAll(block(runs, Column.block("facts")));
    return lines;
  }

  private static List<String> block(Map<Contender, List<RunResult>> runs, List<Column> columns) {
    List<List<String>> cells = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of("strategy"));
    columns.forEach(column -> head.add(column.title()));
    cells.add(head);
    runs.forEach(
        (contender, results) -> {
          boolean valid = results.stream().allMatch(run -> RunValidity.on(run).isValid());
          List<String> row = new ArrayList<>();
          row.add(contender.label() + (valid ? "" : " (!)"));
          columns.forEach(column -> row.add(cell(column, results)));
          cells.add(row);
        });
    return TextTable.indented(cells);
  }

  private static String cell(Column column, List<RunResult> results) {
    RepeatSpread spread = column.over(results);
    if (Double.isNaN(spread.median())) {
      return NOTHING;
    }
    String format = "%." + column.decimals() + "f";
    String median = text(format, spread.median());
    return results.size() == 1
        ? median
        : median + " ±" + text(format, (spread.high() - spread.low()));
  }
}
