// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.Paint;
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
import org.jfree.chart.axis.AxisLocation;
import org.jfree.chart.axis.CategoryAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.labels.ItemLabelAnchor;
import org.jfree.chart.labels.ItemLabelPosition;
import org.jfree.chart.labels.StandardCategoryItemLabelGenerator;
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.renderer.category.StatisticalBarRenderer;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.statistics.DefaultStatisticalCategoryDataset;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/**
 * The report as one SVG: six panels of bars from zero, a row a strategy, ours in full colour, lower
 * is better. Text stays text. The same figures give the same bytes.
 */
final class Chart {

  private static final int PANEL_WIDTH = 420;
  private static final int PANEL_EDGES = 110;
  private static final int ROW_HEIGHT = 31;
  private static final int PANELS_PER_ROW = 3;
  private static final int HEAD_HEIGHT = 56;

  /** Okabe and Ito's blue and orange: told apart by every kind of eye. */
  private static final Color[] COLOURS = {new Color(0x0072B2), new Color(0xE69F00)};

  /** Length of a figure's pattern by its decimals. */
  private static final int[] DIGITS = {1, 3, 4};

  /** So much white is in the colour of a strategy that is not ours. */
  private static final double PALE = 0.55;

  private static final Color INK = new Color(0x222222);
  private static final Color GRID = new Color(0xDDDDDD);
  private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 17);
  private static final Font PANEL_TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 13);
  private static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 11);
  private static final Font SMALL = new Font(Font.SANS_SERIF, Font.PLAIN, 9);

  private record Panel(String title, List<Column> columns) {}

  private static final List<Column> HIT_AND_SCAN = List.of(Column.HIT, Column.SCAN);
  private static final List<Column> RUNS = List.of(Column.MEAN_RUNS, Column.CANDIDATES);
  private static final List<Column> SPACE = List.of(Column.MEAN_SPACE, Column.PEAK_SPACE);

  private static final List<Panel> PANELS =
      List.of(
          new Panel("Write amplification", List.of(Column.WRITE_AMPLIFICATION)),
          new Panel("SSTables per read: of a row, of ten partitions", HIT_AND_SCAN),
          new Panel("Runs over a token, filters ignored: mean, p99", RUNS),
          new Panel("Disk space over live data: mean, peak", SPACE),
          new Panel(
              "Major compaction: extra disk, % of live data",
              List.of(Column.MAJOR_PERCENT_OF_LIVE)),
          new Panel("Point read, microseconds: p50, p99", List.of(Column.P50, Column.P99)));

  private Chart() {}

  /** Draws; the subtitle says on what machine and load. */
  static String svg(Map<Contender, List<RunResult>> runs, String subtitle) throws IOException {
    int rows = (PANELS.size() + PANELS_PER_ROW - 1) / PANELS_PER_ROW;
    int width = PANELS_PER_ROW * PANEL_WIDTH;
    int panelHeight = PANEL_EDGES + ROW_HEIGHT * runs.size();
    int height = HEAD_HEIGHT + rows * panelHeight;
    SVGGraphics2D canvas = canvas(width, height);
    canvas.setPaint(Color.WHITE);
    canvas.fillRect(0, 0, width, height);
    canvas.setPaint(INK);
    canvas.setFont(TITLE);
    canvas.drawString(
        "Compaction strategies in Apache Cassandra: lower is better, strong colours are ours",
        16,
        26);
    canvas.setFont(TEXT);
    canvas.drawString(subtitle, 16, 45);
    for (int i = 0; i < PANELS.size(); i++) {
      double x = (double) (i % PANELS_PER_ROW) * PANEL_WIDTH;
      double y = HEAD_HEIGHT + (double) (i / PANELS_PER_ROW) * panelHeight;
      Rectangle2D place = new Rectangle2D.Double(x, y, PANEL_WIDTH, panelHeight);
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
    List<Boolean> ours = runs.keySet().stream().map(Contender::isOurs).toList();
    CategoryPlot plot = new CategoryPlot(data, names(), values(), bars(panel, ours));
    plot.setOrientation(PlotOrientation.HORIZONTAL);
    plot.setRangeAxisLocation(AxisLocation.BOTTOM_OR_LEFT);
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
    return axis;
  }

  private static NumberAxis values() {
    NumberAxis axis = new NumberAxis();
    axis.setTickLabelFont(TEXT);
    axis.setTickLabelPaint(INK);
    axis.setAutoRangeIncludesZero(true);
    axis.setUpperMargin(0.15);
    return axis;
  }

  private static StatisticalBarRenderer bars(Panel panel, List<Boolean> ours) {
    StatisticalBarRenderer bars = new Bars(ours);
    bars.setBarPainter(new StandardBarPainter());
    bars.setShadowVisible(false);
    bars.setItemMargin(0.05);
    bars.setErrorIndicatorPaint(INK);
    bars.setDefaultItemLabelsVisible(true);
    bars.setDefaultItemLabelFont(SMALL);
    bars.setDefaultItemLabelPaint(INK);
    bars.setDefaultPositiveItemLabelPosition(
        new ItemLabelPosition(ItemLabelAnchor.OUTSIDE3, TextAnchor.CENTER_LEFT));
    for (int i = 0; i < panel.columns().size(); i++) {
      String digits = "0.000".substring(0, DIGITS[panel.columns().get(i).decimals()]);
      DecimalFormat format =
          new DecimalFormat(digits, DecimalFormatSymbols.getInstance(Locale.ROOT));
      bars.setSeriesItemLabelGenerator(i, new StandardCategoryItemLabelGenerator("{2}", format));
      bars.setSeriesPaint(i, COLOURS[i]);
    }
    return bars;
  }

  /** Pale for strategies of others. */
  private static final class Bars extends StatisticalBarRenderer {

    private static final long serialVersionUID = 1;

    private final List<Boolean> ours;

    Bars(List<Boolean> ours) {
      this.ours = List.copyOf(ours);
    }

    @Override
    public Paint getItemPaint(int series, int strategy) {
      Color full = COLOURS[series];
      return ours.get(strategy)
          ? full
          : new Color(pale(full.getRed()), pale(full.getGreen()), pale(full.getBlue()));
    }

    private static int pale(int part) {
      return (int) Math.round(part + (255 - part) * PALE);
    }
  }
}
