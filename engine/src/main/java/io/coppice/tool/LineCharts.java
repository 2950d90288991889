// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import java.awt.BasicStroke;
import java.awt.Color;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.data.xy.XYSeriesCollection;

/** Charts of lines, and what all charts have in common. */
final class LineCharts {

  private static final float LINE_WIDTH = 1.8f;

  private LineCharts() {}

  /** A line a series, in the order of the colours. */
  static JFreeChart lines(String title, String across, XYSeriesCollection data) {
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(true, false);
    renderer.setDrawSeriesLineAsPath(true);
    for (int i = 0; i < data.getSeriesCount(); i++) {
      renderer.setSeriesPaint(i, SvgCanvas.colour(i));
      renderer.setSeriesStroke(
          i, new BasicStroke(LINE_WIDTH, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
    }
    NumberAxis domain = new NumberAxis(across);
    domain.setLabelFont(SvgCanvas.TEXT);
    domain.setLabelPaint(SvgCanvas.INK);
    domain.setTickLabelFont(SvgCanvas.TEXT);
    domain.setTickLabelPaint(SvgCanvas.INK);
    domain.setLowerMargin(0);
    domain.setUpperMargin(0.01);
    XYPlot plot = new XYPlot(data, domain, values(), renderer);
    plot.setRangeGridlinePaint(SvgCanvas.GRID);
    plot.setDomainGridlinesVisible(false);
    return chart(title, plot);
  }

  /** An axis from zero. */
  static NumberAxis values() {
    NumberAxis axis = new NumberAxis();
    axis.setTickLabelFont(SvgCanvas.TEXT);
    axis.setTickLabelPaint(SvgCanvas.INK);
    axis.setAutoRangeIncludesZero(true);
    axis.setUpperMargin(0.12);
    axis.setNumberFormatOverride(
        new DecimalFormat("0.##", DecimalFormatSymbols.getInstance(Locale.ROOT)));
    return axis;
  }

  /** A plot under a title, on white. */
  static JFreeChart chart(String title, Plot plot) {
    plot.setBackgroundPaint(Color.WHITE);
    plot.setOutlineVisible(false);
    JFreeChart chart = new JFreeChart(null, SvgCanvas.TEXT, plot, false);
    chart.setTitle(new TextTitle(title, SvgCanvas.CHART_TITLE));
    chart.setBackgroundPaint(Color.WHITE);
    chart.setPadding(new RectangleInsets(6, 8, 6, 8));
    return chart;
  }
}
