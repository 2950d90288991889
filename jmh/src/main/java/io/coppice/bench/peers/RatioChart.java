// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.report.RepeatSpread;
import io.coppice.bench.report.SuiteReport;
import io.coppice.bench.report.SuiteRow;
import io.coppice.bench.report.SvgPage;
import io.coppice.workload.TextTable;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.Paint;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.util.List;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.labels.StandardCategoryItemLabelGenerator;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.CategoryItemRendererState;
import org.jfree.chart.ui.RectangleEdge;
import org.jfree.data.category.CategoryDataset;
import org.jfree.data.category.DefaultCategoryDataset;

/**
 * Bar chart of the ratio of each row, from zero, with its range; the name of a bar contains the
 * goal. Longer bars favor Coppice, and a line marks 1. Bars of missed goals have another color.
 */
public final class RatioChart {

  private static final int WIDTH = 900;
  private static final int ROW_HEIGHT = 22;
  private static final int EDGES = 110;

  /** Largest ratio at its true length. A longer bar would leave too little room for the others. */
  private static final double LONGEST = 12;

  private RatioChart() {}

  /** Draws the rows that have a ratio. */
  public static String svg(SuiteReport report) throws IOException {
    List<SuiteRow> rows =
        report.rows().stream().filter(row -> Double.isFinite(row.ratio().median())).toList();
    DefaultCategoryDataset data = new DefaultCategoryDataset();
    for (SuiteRow row : rows) {
      data.addValue(Math.min(LONGEST, row.ratio().median()), "ratio", name(row));
    }
    CategoryPlot plot = SvgPage.bars(data, new Bars(rows));
    plot.getDomainAxis().setMaximumCategoryLabelWidthRatio(0.6f);
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
            "Bars from zero, one a row: the median of the ratio, with a line from the lowest to the highest."
                + " Bars and lines end at 12, labels do not.");
  }

  private static String name(SuiteRow row) {
    return row.hasGoal() ? text("%s (goal %.2f)", row.id(), row.goal()) : row.id();
  }

  /** Returns the ratio as text, even if its bar is cut. */
  static String label(SuiteRow row) {
    return TextTable.number("%.2f", row.ratio().median());
  }

  /** Renderer of bars in two colors, each with a line from the lowest to the highest ratio. */
  private static final class Bars extends BarRenderer {

    private static final long serialVersionUID = 1;
    private static final double CAP = 3;

    private final List<SuiteRow> rows;

    Bars(List<SuiteRow> rows) {
      this.rows = List.copyOf(rows);
      setSeriesItemLabelGenerator(0, new Labels(this.rows));
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

    @Override
    public void drawItem(
        Graphics2D graphics,
        CategoryItemRendererState state,
        Rectangle2D area,
        CategoryPlot plot,
        CategoryAxis domain,
        ValueAxis range,
        CategoryDataset data,
        int series,
        int row,
        int pass) {
      super.drawItem(graphics, state, area, plot, domain, range, data, series, row, pass);
      RepeatSpread ratio = rows.get(row).ratio();
      RectangleEdge edge = plot.getRangeAxisEdge();
      double low = range.valueToJava2D(Math.min(LONGEST, ratio.low()), area, edge);
      double high = range.valueToJava2D(Math.min(LONGEST, ratio.high()), area, edge);
      double middle =
          domain.getCategoryMiddle(row, getColumnCount(), area, plot.getDomainAxisEdge());
      graphics.setPaint(SvgPage.INK);
      graphics.setStroke(new BasicStroke(1));
      graphics.draw(new Line2D.Double(low, middle, high, middle));
      graphics.draw(new Line2D.Double(low, middle - CAP, low, middle + CAP));
      graphics.draw(new Line2D.Double(high, middle - CAP, high, middle + CAP));
    }
  }

  /** Labels with the ratios, which may exceed the lengths of the bars. */
  private static final class Labels extends StandardCategoryItemLabelGenerator {

    private static final long serialVersionUID = 1;

    private final List<SuiteRow> rows;

    Labels(List<SuiteRow> rows) {
      this.rows = rows;
    }

    @Override
    public String generateLabel(CategoryDataset data, int series, int row) {
      return label(rows.get(row));
    }
  }
}
