// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.simulate;

import io.coppice.simulator.SimulationReport;
import io.coppice.tool.cli.ByteText;
import io.coppice.tool.format.SvgCanvas;
import io.coppice.tool.format.SvgChart;
import io.coppice.tool.format.SvgChart.Line;
import io.coppice.tool.format.SvgChart.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Page with the results of a simulation as one SVG, with one color per policy. It has bars for
 * write, read and space amplification, and below them each amplification over the bytes written.
 */
final class ChartPage {

  private static final int PANEL_WIDTH = 420;
  private static final int PANEL_HEIGHT = 300;
  private static final int PANELS = 3;
  private static final int HEAD = 72;
  private static final int LEGEND_LINE = 20;
  private static final int MARGIN = 16;

  /** Group of bars: one figure of every policy. */
  private record Bar(String name, ToDoubleFunction<SimulationReport> figure) {}

  private static final List<Bar> WRITES = List.of(new Bar("WA", SimulationReport::wa));
  private static final List<Bar> READS =
      List.of(
          new Bar("mean", SimulationReport::raMean),
          new Bar("most", SimulationReport::raMax),
          new Bar("with filters", SimulationReport::raFilteredMean));
  private static final List<Bar> SPACE =
      List.of(
          new Bar("steady", SimulationReport::saSteady), new Bar("peak", SimulationReport::saPeak));

  private final PolicyComparison found;
  private final double scale;
  private final String unit;

  private ChartPage(PolicyComparison found) {
    this.found = found;
    String written = ByteText.format(found.load().writeBytes());
    unit = written.substring(written.indexOf(' ') + 1);
    scale =
        found.load().writeBytes() / Double.parseDouble(written.substring(0, written.indexOf(' ')));
  }

  /** Returns the page as text of an SVG file. */
  static String of(PolicyComparison found) {
    return new ChartPage(found).page();
  }

  private String page() {
    List<String> names = new ArrayList<>(found.reports().keySet());
    int legend = LEGEND_LINE * names.size() + MARGIN;
    SvgCanvas canvas = new SvgCanvas(PANELS * PANEL_WIDTH, HEAD + legend + 2 * PANEL_HEIGHT);
    String title = "Policies side by side, simulated; lower is better";
    canvas.head(title, List.of(found.loadText(), found.methodText()));
    for (int i = 0; i < names.size(); i++) {
      canvas.legend(i, names.get(i), MARGIN, HEAD + LEGEND_LINE * (i + 1) - 4);
    }
    int top = HEAD + legend;
    bars(canvas, place(0, top), "Write amplification", "0.00", WRITES);
    bars(canvas, place(1, top), "Runs over a key", "0.0#", READS);
    bars(canvas, place(2, top), "Disk space over live data", "0.00", SPACE);
    int below = top + PANEL_HEIGHT;
    lines(canvas, place(0, below), "Write amplification so far", ChartPage::writes);
    lines(canvas, place(1, below), "Runs", sample -> sample.runs());
    lines(canvas, place(2, below), "Disk space over live data", ChartPage::space);
    return canvas.text(title, found.loadText() + "; " + found.methodText());
  }

  private static double writes(SimulationReport.Sample sample) {
    return (double) sample.writtenBytes() / sample.userBytes();
  }

  private static double space(SimulationReport.Sample sample) {
    return (double) sample.diskBytes() / sample.liveBytes();
  }

  private static Place place(int column, int y) {
    return new Place(column * PANEL_WIDTH, y, PANEL_WIDTH, PANEL_HEIGHT);
  }

  private void bars(SvgCanvas canvas, Place place, String title, String form, List<Bar> bars) {
    List<List<Double>> series =
        found.reports().values().stream()
            .map(report -> bars.stream().map(bar -> bar.figure().applyAsDouble(report)).toList())
            .toList();
    SvgChart.bars(canvas, place, title, form, bars.stream().map(Bar::name).toList(), series);
  }

  private void lines(
      SvgCanvas canvas,
      Place place,
      String title,
      ToDoubleFunction<SimulationReport.Sample> figure) {
    List<Line> series = new ArrayList<>();
    for (SimulationReport report : found.reports().values()) {
      Line line = new Line();
      for (SimulationReport.Sample sample : report.samples()) {
        line.add(sample.userBytes() / scale, figure.applyAsDouble(sample));
      }
      series.add(line);
    }
    SvgChart.lines(canvas, place, title, unit + " written", series);
  }
}
