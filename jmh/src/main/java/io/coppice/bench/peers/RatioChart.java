// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.bench.suite.SuiteReport;
import io.coppice.bench.suite.SuiteRow;
import io.coppice.bench.suite.SvgPage;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Paint;
import java.io.IOException;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;
import org.jfree.chart.axis.AxisLocation;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.labels.ItemLabelAnchor;
import org.jfree.chart.labels.ItemLabelPosition;
import org.jfree.chart.labels.StandardCategoryItemLabelGenerator;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.renderer.category.StatisticalBarRenderer;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.statistics.DefaultStatisticalCategoryDataset;

/**
 * A bar from zero for the ratio of each row, with its range and its goal in the name; longer is
 * better for ours, and a line stands at 1. Missed rows are of another colour.
 */
public final class RatioChart {

  private static final int WIDTH = 900;
  private static final int ROW_HEIGHT = 22;
  private static final int EDGES = 110;

  /** Longer bars would leave the others no room. */
  private static final double LONGEST = 12;

  private RatioChart() {}

  /** Draws the rows that have a ratio. */
  public static String svg(SuiteReport report) throws IOException {
    List<SuiteRow> rows =
        report.rows().stream().filter(row -> Double.isFinite(row.ratio().median())).toList();
    DefaultStatisticalCategoryDataset data = new DefaultStatisticalCategoryDataset();
    for (SuiteRow row : rows) {
      double ratio = row.ratio().median();
      data.add(
          Double.valueOf(Math.min(LONGEST, ratio)),
          Double.valueOf(Math.min(LONGEST, (row.ratio().high() - row.ratio().low()) / 2)),
          "ratio",
          name(row));
    }
    CategoryAxis names = new CategoryAxis();
    names.setTickLabelFont(SvgPage.TEXT);
    names.setTickLabelPaint(SvgPage.INK);
    names.setMaximumCategoryLabelWidthRatio(0.6f);
    CategoryPlot plot = new CategoryPlot(data, names, SvgPage.values(), new Bars(rows));
    plot.setOrientation(PlotOrientation.HORIZONTAL);
    plot.setRangeAxisLocation(AxisLocation.BOTTOM_OR_LEFT);
    plot.setRangeGridlinePaint(SvgPage.GRID);
    plot.addRangeMarker(new ValueMarker(1, SvgPage.INK, new BasicStroke(1.2f)));
    return new SvgPage(
            WIDTH,
            EDGES + ROW_HEIGHT * rows.size(),
            1,
            List.of(SvgPage.panel("Ratio, ours is better above 1", plot, false)))
        .svg(
            "coppice bench",
            "Suite " + report.suite(),
            "Suite " + report.suite() + ": ours beside its peers",
            report.machine().line(),
            "Bars from zero, one a row: the median of the ratio, with half its range.");
  }

  private static String name(SuiteRow row) {
    return row.hasGoal()
        ? String.format(Locale.ROOT, "%s (goal %.2f)", row.id(), row.goal())
        : row.id();
  }

  /** Of two colours. */
  private static final class Bars extends StatisticalBarRenderer {

    private static final long serialVersionUID = 1;

    private final List<SuiteRow> rows;

    Bars(List<SuiteRow> rows) {
      this.rows = List.copyOf(rows);
      setBarPainter(new StandardBarPainter());
      setShadowVisible(false);
      setErrorIndicatorPaint(SvgPage.INK);
      setDefaultItemLabelsVisible(true);
      setDefaultItemLabelFont(SvgPage.SMALL);
      setDefaultItemLabelPaint(SvgPage.INK);
      setDefaultPositiveItemLabelPosition(
          new ItemLabelPosition(ItemLabelAnchor.OUTSIDE3, TextAnchor.CENTER_LEFT));
      DecimalFormat format =
          new DecimalFormat("0.00", DecimalFormatSymbols.getInstance(Locale.ROOT));
      setSeriesItemLabelGenerator(0, new StandardCategoryItemLabelGenerator("{2}", format));
    }

    @Override
    public Paint getItemPaint(int series, int row) {
      SuiteRow drawn = rows.get(row);
      Color full = SvgPage.COLOURS.get(0);
      if (!drawn.hasGoal()) {
        return SvgPage.COLOURS.get(5);
      }
      return drawn.met() ? full : SvgPage.COLOURS.get(1);
    }
  }
}
