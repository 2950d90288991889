// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.io.StringWriter;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.CategoryLabelPositions;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.labels.StandardCategoryItemLabelGenerator;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.renderer.category.StatisticalBarRenderer;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.data.statistics.DefaultStatisticalCategoryDataset;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/**
 * The report as one SVG: six panels of bars from zero, a bar a strategy, lower is better. Text
 * stays text. The same figures give the same bytes.
 */
final class Chart {

  private static final int PANEL_WIDTH = 420;
  private static final int PANEL_HEIGHT = 330;
  private static final int PANELS_PER_ROW = 3;
  private static final int HEAD_HEIGHT = 56;

  /** Okabe and Ito's blue, orange and green: told apart by every kind of eye. */
  private static final Color[] COLOURS = {
    new Color(0x0072B2), new Color(0xE69F00), new Color(0x009E73)
  };

  private static final Color INK = new Color(0x222222);
  private static final Color GRID = new Color(0xDDDDDD);
  private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 17);
  private static final Font PANEL_TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 13);
  private static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 11);
  private static final Font SMALL = new Font(Font.SANS_SERIF, Font.PLAIN, 9);

  private record Panel(String title, List<Column> columns) {}

  private static final List<Panel> PANELS =
      List.of(
          new Panel("Write amplification", List.of(Column.WRITE_AMPLIFICATION)),
          new Panel("SSTables per read", List.of(Column.HIT, Column.MISS, Column.SCAN)),
          new Panel("Disk space over live data", List.of(Column.MEAN_SPACE, Column.PEAK_SPACE)),
          new Panel("Major compaction: extra disk, %", List.of(Column.MAJOR_PERCENT)),
          new Panel("Runs over a token (no filters)", List.of(Column.MEAN_RUNS)),
          new Panel("Point read, microseconds", List.of(Column.P50, Column.P99)));

  private Chart() {}

  /** Draws; the subtitle says on what machine and load. */
  static String svg(Map<Contender, List<RunResult>> runs, String subtitle) throws IOException {
    int rows = (PANELS.size() + PANELS_PER_ROW - 1) / PANELS_PER_ROW;
    int width = PANELS_PER_ROW * PANEL_WIDTH;
    int height = HEAD_HEIGHT + rows * PANEL_HEIGHT;
    SVGGraphics2D canvas = canvas(width, height);
    canvas.setPaint(Color.WHITE);
    canvas.fillRect(0, 0, width, height);
    canvas.setPaint(INK);
    canvas.setFont(TITLE);
    canvas.drawString("Compaction strategies in Apache Cassandra, lower is better", 16, 26);
    canvas.setFont(TEXT);
    canvas.drawString(subtitle, 16, 45);
    for (int i = 0; i < PANELS.size(); i++) {
      double x = (double) (i % PANELS_PER_ROW) * PANEL_WIDTH;
      double y = HEAD_HEIGHT + (double) (i / PANELS_PER_ROW) * PANEL_HEIGHT;
      Rectangle2D place = new Rectangle2D.Double(x, y, PANEL_WIDTH, PANEL_HEIGHT);
      panel(PANELS.get(i), runs).draw(canvas, place);
    }
    return text(canvas, subtitle, width, height);
  }

  private static SVGGraphics2D canvas(int width, int height) throws IOException {
    try {
      Document document =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .getDOMImplementation()
              .createDocument("http://www.w3.org/2000/svg", "svg", null);
      SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
      context.setComment("Made by coppice compare");
      SVGGraphics2D canvas = new SVGGraphics2D(context, false);
      canvas.setSVGCanvasSize(new Dimension(width, height));
      return canvas;
    } catch (ParserConfigurationException e) {
      throw new IOException(e);
    }
  }

  private static String text(SVGGraphics2D canvas, String subtitle, int width, int height)
      throws IOException {
    Element root = canvas.getRoot();
    root.setAttribute("viewBox", "0 0 " + width + " " + height);
    root.setAttribute("role", "img");
    Element description = root.getOwnerDocument().createElementNS(root.getNamespaceURI(), "desc");
    description.setTextContent(
        "Bars from zero, one a strategy and figure: the median, with the range. " + subtitle);
    root.insertBefore(description, root.getFirstChild());
    Element title = root.getOwnerDocument().createElementNS(root.getNamespaceURI(), "title");
    title.setTextContent("Compaction strategies in Apache Cassandra, side by side");
    root.insertBefore(title, description);
    StringWriter text = new StringWriter();
    canvas.stream(root, text, true, false);
    return text.toString();
  }

  private static JFreeChart panel(Panel panel, Map<Contender, List<RunResult>> runs) {
    DefaultStatisticalCategoryDataset data = new DefaultStatisticalCategoryDataset();
    for (Column column : panel.columns()) {
      runs.forEach(
          (contender, results) -> {
            Spread spread = Spread.of(results, column.figure());
            if (!Double.isNaN(spread.median())) {
              Double whisker = results.size() > 1 ? spread.range() / 2 : null;
              data.add(Double.valueOf(spread.median()), whisker, column.title(), contender.label());
            }
          });
    }
    CategoryPlot plot = new CategoryPlot(data, names(), values(), bars(panel));
    plot.setBackgroundPaint(Color.WHITE);
    plot.setRangeGridlinePaint(GRID);
    plot.setOutlineVisible(false);
    JFreeChart chart = new JFreeChart(null, TEXT, plot, panel.columns().size() > 1);
    chart.setTitle(new TextTitle(panel.title(), PANEL_TITLE));
    chart.setBackgroundPaint(Color.WHITE);
    chart.setPadding(new RectangleInsets(6, 8, 6, 8));
    if (chart.getLegend() != null) {
      chart.getLegend().setItemFont(TEXT);
      chart.getLegend().setFrame(org.jfree.chart.block.BlockBorder.NONE);
    }
    return chart;
  }

  private static CategoryAxis names() {
    CategoryAxis axis = new CategoryAxis();
    axis.setTickLabelFont(TEXT);
    axis.setTickLabelPaint(INK);
    axis.setCategoryMargin(0.25);
    axis.setCategoryLabelPositions(CategoryLabelPositions.STANDARD);
    axis.setMaximumCategoryLabelLines(2);
    return axis;
  }

  private static NumberAxis values() {
    NumberAxis axis = new NumberAxis();
    axis.setTickLabelFont(TEXT);
    axis.setTickLabelPaint(INK);
    axis.setAutoRangeIncludesZero(true);
    axis.setUpperMargin(0.12);
    return axis;
  }

  private static StatisticalBarRenderer bars(Panel panel) {
    StatisticalBarRenderer bars = new StatisticalBarRenderer();
    bars.setBarPainter(new StandardBarPainter());
    bars.setShadowVisible(false);
    bars.setItemMargin(0.05);
    bars.setErrorIndicatorPaint(INK);
    bars.setDefaultItemLabelsVisible(true);
    bars.setDefaultItemLabelFont(panel.columns().size() > 2 ? SMALL : TEXT);
    bars.setDefaultItemLabelPaint(INK);
    for (int i = 0; i < panel.columns().size(); i++) {
      String digits = panel.columns().get(i).decimals() == 0 ? "0" : "0.0#";
      DecimalFormat format =
          new DecimalFormat(digits, DecimalFormatSymbols.getInstance(Locale.ROOT));
      bars.setSeriesItemLabelGenerator(i, new StandardCategoryItemLabelGenerator("{2}", format));
      bars.setSeriesPaint(i, COLOURS[i]);
    }
    return bars;
  }
}
