// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import io.coppice.bench.report.RepeatSpread;
import io.coppice.bench.report.SvgPage;
import java.awt.Color;
import java.awt.Paint;
import java.io.IOException;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.labels.StandardCategoryItemLabelGenerator;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.renderer.category.StatisticalBarRenderer;
import org.jfree.data.statistics.DefaultStatisticalCategoryDataset;

/**
 * Chart of a comparison as one SVG: six panels with one bar per strategy, Coppice's strategies in
 * full color; lower is better. Text stays text. Equal figures give equal bytes.
 */
final class Chart {

  private static final int PANEL_WIDTH = 420;
  private static final int PANEL_EDGES = 110;
  private static final int ROW_HEIGHT = 31;
  private static final int PANELS_PER_ROW = 3;

  /** Length of the prefix of {@code 0.000} that is the number pattern, by number of decimals. */
  private static final int[] DIGITS = {1, 3, 4};

  /** Share of white in the color of other strategies. */
  private static final double PALE = 0.55;

  private record Panel(String title, List<Column> columns) {
    Panel(String title, String... columns) {
      this(title, Stream.of(columns).map(Column::named).toList());
    }
  }

  private static final List<Panel> PANELS =
      List.of(
          new Panel("Write amplification", "write_amplification"),
          new Panel("SSTables per read: of a row, of ten partitions", "hit", "scan"),
          new Panel("Runs over a token, filters ignored: mean, p99", "mean_runs", "candidates"),
          new Panel("Disk space over live data: mean, peak", "mean_space", "peak_space"),
          new Panel("Major compaction: extra disk, % of live data", "major_percent_of_live"),
          new Panel("Point read, microseconds: p50, p99", "p50", "p99"));

  private Chart() {}

  /** Returns the chart as SVG. The subtitle names the machine and the load. */
  static String svg(Map<Contender, List<RunResult>> runs, String subtitle) throws IOException {
    int height = PANEL_EDGES + ROW_HEIGHT * runs.size();
    List<JFreeChart> charts = PANELS.stream().map(panel -> panel(panel, runs)).toList();
    return new SvgPage(PANEL_WIDTH, height, PANELS_PER_ROW, charts)
        .svg(
            "coppice compare",
            "Compaction strategies in Apache Cassandra, side by side",
            "Compaction strategies in Apache Cassandra: lower is better, strong colours are ours",
            subtitle,
            "Bars from zero, one a strategy and figure: the median, with the range.");
  }

  private static JFreeChart panel(Panel panel, Map<Contender, List<RunResult>> runs) {
    DefaultStatisticalCategoryDataset data = new DefaultStatisticalCategoryDataset();
    for (Column column : panel.columns()) {
      runs.forEach(
          (contender, results) -> {
            RepeatSpread spread = column.over(results);
            if (!Double.isNaN(spread.median())) {
              Double whisker = results.size() > 1 ? (spread.high() - spread.low()) / 2 : null;
              data.add(Double.valueOf(spread.median()), whisker, column.title(), contender.label());
            }
          });
    }
    List<Boolean> ours = runs.keySet().stream().map(Contender::isOurs).toList();
    CategoryPlot plot = SvgPage.bars(data, bars(panel, ours));
    plot.getDomainAxis().setCategoryMargin(0.25);
    return SvgPage.panel(panel.title(), plot, panel.columns().size() > 1);
  }

  private static StatisticalBarRenderer bars(Panel panel, List<Boolean> ours) {
    StatisticalBarRenderer bars = new Bars(ours);
    bars.setItemMargin(0.05);
    bars.setErrorIndicatorPaint(SvgPage.INK);
    for (int i = 0; i < panel.columns().size(); i++) {
      String digits = "0.000".substring(0, DIGITS[panel.columns().get(i).decimals()]);
      DecimalFormat format =
          new DecimalFormat(digits, DecimalFormatSymbols.getInstance(Locale.ROOT));
      bars.setSeriesItemLabelGenerator(i, new StandardCategoryItemLabelGenerator("{2}", format));
      bars.setSeriesPaint(i, SvgPage.COLOURS.get(i));
    }
    return bars;
  }

  /** Renderer that draws strategies other than Coppice's in pale colours. */
  private static final class Bars extends StatisticalBarRenderer {

    private static final long serialVersionUID = 1;

    private final List<Boolean> ours;

    Bars(List<Boolean> ours) {
      this.ours = List.copyOf(ours);
    }

    @Override
    public Paint getItemPaint(int series, int strategy) {
      Color full = SvgPage.COLOURS.get(series);
      return ours.get(strategy)
          ? full
          : new Color(pale(full.getRed()), pale(full.getGreen()), pale(full.getBlue()));
    }

    private static int pale(int part) {
      return (int) Math.round(part + (255 - part) * PALE);
    }
  }
}
