// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.papers;

import io.coppice.policy.MergeRule;
import io.coppice.simulator.Scenario;
import io.coppice.simulator.SimulationReport;
import io.coppice.tool.format.SvgCanvas;
import io.coppice.tool.format.SvgChart;
import io.coppice.tool.format.SvgChart.Line;
import io.coppice.tool.format.SvgChart.Place;
import io.coppice.tool.papers.PapersTable.Row;
import java.util.List;
import java.util.Map;

/**
 * Chart of delayed compaction under both merge rules: with slices, as in the store, and with whole
 * tables, as in Cassandra.
 */
final class PapersChart {

  /** Name of the table with the chart's numbers. */
  static final String TABLE = "delayed-free";

  private static final int WIDTH = 900;
  private static final int PANEL_HEIGHT = 330;
  private static final int HEAD = 56;
  private static final int MARGIN = 16;
  private static final int LEGEND_LINE = 20;

  private PapersChart() {}

  /**
   * Returns the page as text of an SVG file.
   *
   * @param found the reports of all scenarios of {@link #TABLE}, by scenario
   */
  static String of(Map<Scenario, SimulationReport> found) {
    List<Row> slices = PapersTables.bothRules(MergeRule.ADJACENT);
    List<Row> whole = PapersTables.bothRules(MergeRule.FREE);
    List<Row> lines =
        List.of(slices.get(0), slices.get(3), slices.get(5), whole.get(3), whole.get(5));
    List<Line> courses = lines.stream().map(row -> course(row, found.get(row.scenario()))).toList();
    int legend = lines.size() * LEGEND_LINE;
    SvgCanvas canvas = new SvgCanvas(WIDTH, HEAD + legend + PANEL_HEIGHT + MARGIN);
    String title = "Delayed compaction: slices (ADJACENT) and whole tables (FREE)";
    canvas.head(title, List.of("2 000 flushes of unique keys in random order; lower is better"));
    for (int i = 0; i < lines.size(); i++) {
      canvas.legend(i, lines.get(i).label(), MARGIN, HEAD + LEGEND_LINE * (i + 1) - 4);
    }
    SvgChart.lines(
        canvas,
        new Place(0, HEAD + legend, WIDTH, PANEL_HEIGHT),
        "Write amplification so far",
        "flushes",
        courses);
    return canvas.text(title, "Lines over flushes; the numbers stand in docs/policies/papers.md.");
  }

  private static Line course(Row row, SimulationReport report) {
    Line line = new Line();
    for (SimulationReport.Sample sample : report.samples()) {
      if (sample.userBytes() > 0) {
        line.add(
            (double) sample.userBytes() / row.scenario().memtableBytes(),
            (double) sample.writtenBytes() / sample.userBytes());
      }
    }
    return line;
  }
}
