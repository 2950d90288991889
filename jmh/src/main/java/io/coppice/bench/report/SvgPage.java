// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
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
import org.jfree.chart.plot.CategoryPlot;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.renderer.category.BarRenderer;
import org.jfree.chart.renderer.category.StandardBarPainter;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.RectangleInsets;
import org.jfree.chart.ui.TextAnchor;
import org.jfree.data.category.CategoryDataset;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/**
 * A white page with charts side by side under a heading, written as SVG. Text stays text; equal
 * figures give equal bytes.
 */
public record SvgPage(int panelWidth, int panelHeight, int panelsPerRow, List<JFreeChart> panels) {

  /** Colors of the palette of Okabe and Ito, which color-blind readers can tell apart. */
  public static final List<Color> COLOURS =
      List.of(
          new Color(0x0072B2),
          new Color(0xE69F00),
          new Color(0x009E73),
          new Color(0xCC79A7),
          new Color(0xD55E00),
          new Color(0x56B4E9));

  /** Color of all text. */
  public static final Color INK = new Color(0x222222);

  /** Color of grid lines. */
  public static final Color GRID = new Color(0xDDDDDD);

  /** Font of axes and small text. */
  public static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 11);

  /** Font of the figures on bars. */
  public static final Font SMALL = new Font(Font.SANS_SERIF, Font.PLAIN, 9);

  private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 17);
  private static final Font PANEL_TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 13);
  private static final int HEAD_HEIGHT = 56;

  /**
   * Returns the page as SVG text.
   *
   * @param madeBy name of the program
   * @param name accessible title of the page
   * @param heading text above the panels
   * @param subtitle text about machine and load
   * @param description description of the panels
   * @throws IOException if the SVG writer fails
   */
  public String svg(String madeBy, String name, String heading, String subtitle, String description)
      throws IOException {
    int rows = (panels.size() + panelsPerRow - 1) / panelsPerRow;
    int width = panelsPerRow * panelWidth;
    int height = HEAD_HEIGHT + rows * panelHeight;
    SVGGraphics2D canvas = canvas(madeBy, width, height);
    canvas.setPaint(Color.WHITE);
    canvas.fillRect(0, 0, width, height);
    canvas.setPaint(INK);
    canvas.setFont(TITLE);
    canvas.drawString(heading, 16, 26);
    canvas.setFont(TEXT);
    canvas.drawString(subtitle, 16, 45);
    for (int i = 0; i < panels.size(); i++) {
      double x = (double) (i % panelsPerRow) * panelWidth;
      double y = HEAD_HEIGHT + (double) (i / panelsPerRow) * panelHeight;
      panels.get(i).draw(canvas, new Rectangle2D.Double(x, y, panelWidth, panelHeight));
    }
    return text(canvas, name, description + " " + subtitle, width, height);
  }

  private static SVGGraphics2D canvas(String madeBy, int width, int height) throws IOException {
    try {
      Document document =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .getDOMImplementation()
              .createDocument("http://www.w3.org/2000/svg", "svg", null);
      SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
      context.setComment("Made by " + madeBy);
      SVGGraphics2D canvas = new SVGGraphics2D(context, false);
      canvas.setSVGCanvasSize(new Dimension(width, height));
      return canvas;
    } catch (ParserConfigurationException e) {
      throw new IOException(e);
    }
  }

  private static String text(
      SVGGraphics2D canvas, String name, String description, int width, int height)
      throws IOException {
    Element root = canvas.getRoot();
    root.setAttribute("viewBox", "0 0 " + width + " " + height);
    root.setAttribute("role", "img");
    Element described = root.getOwnerDocument().createElementNS(root.getNamespaceURI(), "desc");
    described.setTextContent(description);
    root.insertBefore(described, root.getFirstChild());
    Element title = root.getOwnerDocument().createElementNS(root.getNamespaceURI(), "title");
    title.setTextContent(name);
    root.insertBefore(title, described);
    StringWriter text = new StringWriter();
    canvas.stream(root, text, true, false);
    return text.toString();
  }

  /** Returns a number axis that includes zero. */
  public static NumberAxis values() {
    NumberAxis axis = new NumberAxis();
    axis.setTickLabelFont(TEXT);
    axis.setTickLabelPaint(INK);
    axis.setAutoRangeIncludesZero(true);
    axis.setUpperMargin(0.15);
    return axis;
  }

  /** Returns a plot of horizontal bars from zero, each with a name and a label. */
  public static CategoryPlot bars(CategoryDataset data, BarRenderer renderer) {
    renderer.setBarPainter(new StandardBarPainter());
    renderer.setShadowVisible(false);
    renderer.setDefaultItemLabelsVisible(true);
    renderer.setDefaultItemLabelFont(SMALL);
    renderer.setDefaultItemLabelPaint(INK);
    renderer.setDefaultPositiveItemLabelPosition(
        new ItemLabelPosition(ItemLabelAnchor.OUTSIDE3, TextAnchor.CENTER_LEFT));
    CategoryAxis names = new CategoryAxis();
    names.setTickLabelFont(TEXT);
    names.setTickLabelPaint(INK);
    CategoryPlot plot = new CategoryPlot(data, names, values(), renderer);
    plot.setOrientation(PlotOrientation.HORIZONTAL);
    plot.setRangeAxisLocation(AxisLocation.BOTTOM_OR_LEFT);
    plot.setRangeGridlinePaint(GRID);
    return plot;
  }

  /** Returns a panel that shows a plot under a title. */
  public static JFreeChart panel(String title, Plot plot, boolean legend) {
    plot.setBackgroundPaint(Color.WHITE);
    plot.setOutlineVisible(false);
    JFreeChart chart = new JFreeChart(null, TEXT, plot, legend);
    chart.setTitle(new TextTitle(title, PANEL_TITLE));
    chart.setBackgroundPaint(Color.WHITE);
    chart.setPadding(new RectangleInsets(6, 8, 6, 8));
    if (chart.getLegend() != null) {
      chart.getLegend().setItemFont(TEXT);
      chart.getLegend().setFrame(org.jfree.chart.block.BlockBorder.NONE);
    }
    return chart;
  }
}
