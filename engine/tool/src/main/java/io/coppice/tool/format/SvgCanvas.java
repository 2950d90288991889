// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.format;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;

/**
 * A white page with a heading and charts, written as SVG. Lengths are pixels from the left and the
 * top. Text stays text. Equal calls produce equal bytes. Used by one thread.
 */
public final class SvgCanvas {

  /** The color of text. */
  static final String INK = "#222222";

  /** Color of grid lines. */
  static final String GRID = "#dddddd";

  /** Alignment of a text: its begin, center or end is at the given position. */
  enum Anchor {
    START,
    MIDDLE,
    END
  }

  /** The sizes of text. */
  enum Size {
    /** Axis labels and other small text. */
    TEXT("11"),
    /** The heading of one chart. */
    CHART("13\" font-weight=\"bold"),
    /** The heading of the page. */
    PAGE("17\" font-weight=\"bold");

    private final String attribute;

    Size(String attribute) {
      this.attribute = attribute;
    }
  }

  /**
   * The palette of Okabe and Ito, which is distinct under every kind of color vision, without black
   * and yellow, which lack contrast here.
   */
  private static final List<String> COLOURS =
      List.of("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#777777");

  private static final int MARGIN = 16;
  private static final int FIRST_LINE = 26;
  private static final int LINE = 18;

  private final StringBuilder body = new StringBuilder();
  private final int width;
  private final int height;

  public SvgCanvas(int width, int height) {
    this.width = width;
    this.height = height;
    box(0, 0, width, height, "#ffffff");
  }

  /** Writes a heading and lines below it, from the top. */
  public void head(String title, List<String> lines) {
    write(MARGIN, FIRST_LINE, Anchor.START, Size.PAGE, title);
    for (int i = 0; i < lines.size(); i++) {
      write(MARGIN, FIRST_LINE + LINE * (i + 1), Anchor.START, Size.TEXT, lines.get(i));
    }
  }

  /**
   * Writes a line of the legend, after a square in the color of a series.
   *
   * @param index of the series, from 0
   * @param x left edge of the square
   * @param y baseline of the text
   */
  public void legend(int index, String text, int x, int y) {
    box(x, y - 9, 11, 11, colour(index));
    write(x + 17, y, Anchor.START, Size.TEXT, text);
  }

  /** Writes one line of text with its baseline at {@code y}. */
  void write(double x, double y, Anchor anchor, Size size, String text) {
    body.append("<text x=\"").append(number(x)).append("\" y=\"").append(number(y));
    if (anchor != Anchor.START) {
      body.append("\" text-anchor=\"").append(anchor.name().toLowerCase(Locale.ROOT));
    }
    body.append("\" font-size=\"").append(size.attribute).append("\">");
    body.append(escape(text)).append("</text>\n");
  }

  /** Fills a box with a color. */
  void box(double x, double y, double width, double height, String colour) {
    body.append("<rect x=\"").append(number(x)).append("\" y=\"").append(number(y));
    body.append("\" width=\"").append(number(width)).append("\" height=\"").append(number(height));
    body.append("\" fill=\"").append(colour).append("\"/>\n");
  }

  /**
   * Draws a line through points.
   *
   * @param points alternating x and y; with fewer than two points, nothing is drawn
   */
  void line(List<Double> points, String colour, double thickness) {
    if (points.size() < 4) {
      return;
    }
    body.append("<polyline fill=\"none\" stroke-linejoin=\"round\" stroke=\"").append(colour);
    body.append("\" stroke-width=\"").append(number(thickness)).append("\" points=\"");
    for (int i = 0; i < points.size(); i += 2) {
      body.append(i == 0 ? "" : " ").append(number(points.get(i)));
      body.append(',').append(number(points.get(i + 1)));
    }
    body.append("\"/>\n");
  }

  /** Returns the color of a series, by its index from 0; colors repeat after seven series. */
  static String colour(int index) {
    return COLOURS.get(index % COLOURS.size());
  }

  /** Returns a number in a pattern of {@link DecimalFormat}, the same in every locale. */
  static String number(String form, double value) {
    return new DecimalFormat(form, DecimalFormatSymbols.getInstance(Locale.ROOT)).format(value);
  }

  private static String number(double pixels) {
    return number("0.#", pixels);
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }

  /** Returns the page as text of an SVG file, with a title and a description for screen readers. */
  public String text(String title, String description) {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\""
        + width
        + "\" height=\""
        + height
        + "\" viewBox=\"0 0 "
        + width
        + " "
        + height
        + "\" font-family=\"sans-serif\" fill=\""
        + INK
        + "\">\n<!-- Made by coppice-tool.jar -->\n<title>"
        + escape(title)
        + "</title>\n<desc>"
        + escape(description)
        + "</desc>\n"
        + body
        + "</svg>\n";
  }
}
