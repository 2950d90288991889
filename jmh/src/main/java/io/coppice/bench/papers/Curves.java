// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.bench.engine.Second;
import io.coppice.bench.engine.TrialResults;
import io.coppice.bench.report.Machine;
import io.coppice.bench.report.SvgPage;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.StoreSpec;
import java.awt.BasicStroke;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.data.xy.XYSeries;
import org.jfree.data.xy.XYSeriesCollection;

/**
 * Charts of leveled and tiered compaction by second: throughput, 99th percentile of reads, bytes of
 * merges.
 */
final class Curves {

  private static final int WIDTH = 420;
  private static final int HEIGHT = 260;
  private static final int ACROSS = 3;
  private static final double MICRO = 1e3;
  private static final double MEBI = 1 << 20;

  private Curves() {}

  static String svg(TrialResults measured, Machine machine) throws IOException {
    List<JFreeChart> panels = new ArrayList<>();
    for (String trial : LeveledTiered.CURVES) {
      if (!measured.has(trial, PaperLoads.LEVELED)) {
        continue;
      }
      String law = trial.substring(2).replace('-', ' ') + " % reads: ";
      panels.add(panel(measured, trial, law + "op/s", second -> second.reads() + second.writes()));
      panels.add(
          panel(measured, trial, law + "read p99, us", second -> second.readP99Nanos() / MICRO));
      panels.add(
          panel(measured, trial, law + "merged MiB/s", second -> second.mergedBytes() / MEBI));
    }
    return new SvgPage(WIDTH, HEIGHT, ACROSS, panels)
        .svg(
            "coppice bench",
            "Leveled and tiered, second by second",
            "Leveled (blue) and tiered (orange), second by second",
            machine.line(),
            "Lines of throughput, p99 of reads and bytes of merges by the second.");
  }

  private static JFreeChart panel(
      TrialResults measured, String trial, String title, ToDoubleFunction<Second> figure) {
    XYSeriesCollection data = new XYSeriesCollection();
    data.addSeries(series("leveled", measured, trial, PaperLoads.LEVELED, figure));
    data.addSeries(series("tiered", measured, trial, PaperLoads.TIERED, figure));
    XYLineAndShapeRenderer lines = new XYLineAndShapeRenderer(true, false);
    lines.setDrawSeriesLineAsPath(true);
    for (int i = 0; i < data.getSeriesCount(); i++) {
      lines.setSeriesPaint(i, SvgPage.COLOURS.get(i));
      lines.setSeriesStroke(i, new BasicStroke(1.6f));
    }
    NumberAxis across = SvgPage.values();
    across.setLabel("s");
    across.setLabelFont(SvgPage.TEXT);
    XYPlot plot = new XYPlot(data, across, SvgPage.values(), lines);
    plot.setRangeGridlinePaint(SvgPage.GRID);
    plot.setDomainGridlinesVisible(false);
    return SvgPage.panel(title, plot, true);
  }

  private static XYSeries series(
      String name,
      TrialResults measured,
      String trial,
      StoreSpec store,
      ToDoubleFunction<Second> figure) {
    XYSeries series = new XYSeries(name);
    measured
        .seconds(trial, store, Benchmark.READRANDOMWRITERANDOM)
        .forEach(second -> series.add(second.second(), figure.applyAsDouble(second)));
    return series;
  }
}
