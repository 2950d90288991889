// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

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
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** A white page with a heading, on which charts are laid. Text stays text; same in, same bytes. */
final class SvgCanvas {

  /** The colour of text. */
  static final Color INK = new Color(0x222222);

  /** The colour of grid lines. */
  static final Color GRID = new Color(0xDDDDDD);

  /** Okabe and Ito's, told apart by every kind of eye; black and yellow, which vanish, are out. */
  static final List<Color> COLOURS =
      List.of(
          new Color(0x0072B2),
          new Color(0xE69F00),
          new Color(0x009E73),
          new Color(0xCC79A7),
          new Color(0xD55E00),
          new Color(0x56B4E9),
          new Color(0x777777));

  /** Axis labels and everything else that is small. */
  static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 11);

  /** The heading of one chart. */
  static final Font CHART_TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 13);

  private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 17);
  private static final int MARGIN = 16;
  private static final int FIRST_LINE = 26;
  private static final int LINE = 18;

  private final SVGGraphics2D graphics;
  private final int width;
  private final int height;

  SvgCanvas(int width, int height) {
    this.width = width;
    this.height = height;
    SVGGeneratorContext context = SVGGeneratorContext.createDefault(document());
    context.setComment("Made by coppice-tool.jar");
    graphics = new SVGGraphics2D(context, false);
    graphics.setSVGCanvasSize(new Dimension(width, height));
    graphics.setPaint(Color.WHITE);
    graphics.fillRect(0, 0, width, height);
  }

  private static Document document() {
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .getDOMImplementation()
          .createDocument("http://www.w3.org/2000/svg", "svg", null);
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("the JDK's own XML parser", e);
    }
  }

  /** Writes a heading and lines below it, from the top. */
  void head(String title, List<String> lines) {
    graphics.setPaint(INK);
    graphics.setFont(TITLE);
    graphics.drawString(title, MARGIN, FIRST_LINE);
    graphics.setFont(TEXT);
    for (int i = 0; i < lines.size(); i++) {
      graphics.drawString(lines.get(i), MARGIN, FIRST_LINE + LINE * (i + 1));
    }
  }

  /** Writes a line in the colour of a series, after a square of it. */
  void legend(int index, String text, int x, int y) {
    graphics.setPaint(colour(index));
    graphics.fillRect(x, y - 9, 11, 11);
    graphics.setPaint(INK);
    graphics.setFont(TEXT);
    graphics.drawString(text, x + 17, y);
  }

  /** Draws a chart into a rectangle. */
  void draw(JFreeChart chart, Rectangle2D place) {
    chart.draw(graphics, place);
  }

  /** The colour of a series, from 0. */
  static Color colour(int index) {
    return COLOURS.get(index % COLOURS.size());
  }

  /** The page as text. */
  String text(String title, String description) {
    Element root = graphics.getRoot();
    root.setAttribute("viewBox", "0 0 " + width + " " + height);
    root.setAttribute("role", "img");
    Element about = root.getOwnerDocument().createElementNS(root.getNamespaceURI(), "desc");
    about.setTextContent(description);
    root.insertBefore(about, root.getFirstChild());
    Element name = root.getOwnerDocument().createElementNS(root.getNamespaceURI(), "title");
    name.setTextContent(title);
    root.insertBefore(name, about);
    StringWriter text = new StringWriter();
    try {
      graphics.stream(root, text, true, false);
    } catch (IOException e) {
      throw new IllegalStateException("writing to memory", e);
    }
    return text.toString();
  }
}
