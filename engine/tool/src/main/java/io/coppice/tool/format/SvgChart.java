// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.format;

import io.coppice.tool.format.SvgCanvas.Anchor;
import io.coppice.tool.format.SvgCanvas.Size;
import java.util.ArrayList;
import java.util.List;

/**
 * A chart in a rectangle of a page, with values upwards from zero and one color per series. Used by
 * one thread.
 */
public final class SvgChart {

  /** The rectangle of a chart on the page, in pixels from the left and the top. */
  public record Place(double x, double y, double width, double height) {}

  /**
   * A series of points by ascending x.
   *
   * @param x as many values as {@code y}
   */
  public record Line(List<Double> x, List<Double> y) {

    public Line() {
      this(new ArrayList<>(), new ArrayList<>());
    }

    /** Adds a point unless its y is infinite or NaN. */
    public void add(double atX, double atY) {
      if (Double.isFinite(atY)) {
        x.add(atX);
        y.add(atY);
      }
    }
  }

  private static final int LEFT = 52;
  private static final int RIGHT = 14;
  private static final int TITLE = 22;
  private static final int TOP = 36;
  private static final int BOTTOM = 46;
  private static final int MAX_TICKS = 7;
  private static final double LINE_WIDTH = 1.8;

  /** Space above the largest value, as a share of that value. */
  private static final double HEADROOM = 0.12;

  /** Space between groups of bars, as a share of a group. */
  private static final double GAP = 0.2;

  private static final double WIDEST_BAR = 0.16;

  private final SvgCanvas canvas;
  private final double left;
  private final double right;
  private final double top;
  private final double bottom;
  private final double most;

  private SvgChart(SvgCanvas canvas, Place place, String title, double largest) {
    this.canvas = canvas;
    left = place.x + LEFT;
    right = place.x + place.width - RIGHT;
    top = place.y + TOP;
    bottom = place.y + place.height - BOTTOM;
    most = largest > 0 ? largest * (1 + HEADROOM) : 1;
    canvas.write((left + right) / 2, place.y + TITLE, Anchor.MIDDLE, Size.CHART, title);
    double step = step(most);
    for (double tick = 0; tick <= most; tick += step) {
      double y = y(tick);
      canvas.line(List.of(left, y, right, y), SvgCanvas.GRID, 1);
      canvas.write(left - 6, y + 4, Anchor.END, Size.TEXT, SvgCanvas.number("0.##", tick));
    }
  }

  /**
   * Draws groups of bars, each bar with its value above it.
   *
   * @param form a pattern of {@link java.text.DecimalFormat} for the values
   * @param series one value per group in each; NaN for a missing bar
   */
  public static void bars(
      SvgCanvas canvas,
      Place place,
      String title,
      String form,
      List<String> groups,
      List<List<Double>> series) {
    double largest =
        series.stream()
            .flatMap(List::stream)
            .filter(Double::isFinite)
            .mapToDouble(value -> value)
            .max()
            .orElse(0);
    SvgChart chart = new SvgChart(canvas, place, title, largest);
    double group = (chart.right - chart.left) / groups.size();
    double width =
        Math.min(group * (1 - GAP) / series.size(), (chart.right - chart.left) * WIDEST_BAR);
    for (int i = 0; i < groups.size(); i++) {
      double middle = chart.left + group * (i + 0.5);
      canvas.write(middle, chart.bottom + 16, Anchor.MIDDLE, Size.TEXT, groups.get(i));
      for (int j = 0; j < series.size(); j++) {
        double value = series.get(j).get(i);
        if (Double.isFinite(value)) {
          double x = middle + width * (j - series.size() / 2.0);
          double y = chart.y(value);
          canvas.box(x, y, width * 0.92, chart.bottom - y, SvgCanvas.colour(j));
          canvas.write(
              x + width / 2, y - 4, Anchor.MIDDLE, Size.TEXT, SvgCanvas.number(form, value));
        }
      }
    }
  }

  /**
   * Draws lines, one per series, whose x axis begins at zero. A series of one point is not drawn.
   *
   * @param across the label of the x axis
   */
  public static void lines(
      SvgCanvas canvas, Place place, String title, String across, List<Line> series) {
    SvgChart chart =
        new SvgChart(
            canvas, place, title, largest(series.stream().flatMap(one -> one.y.stream()).toList()));
    double furthest = largest(series.stream().flatMap(one -> one.x.stream()).toList());
    double end = furthest > 0 ? furthest : 1;
    double perUnit = (chart.right - chart.left) / end;
    double step = step(end);
    for (double tick = 0; tick <= end; tick += step) {
      double x = chart.left + tick * perUnit;
      canvas.write(
          x, chart.bottom + 16, Anchor.MIDDLE, Size.TEXT, SvgCanvas.number("#,##0.##", tick));
    }
    canvas.write(
        (chart.left + chart.right) / 2, chart.bottom + 34, Anchor.MIDDLE, Size.TEXT, across);
    for (int i = 0; i < series.size(); i++) {
      Line line = series.get(i);
      List<Double> points = new ArrayList<>();
      for (int j = 0; j < line.x.size(); j++) {
        points.add(chart.left + line.x.get(j) * perUnit);
        points.add(chart.y(line.y.get(j)));
      }
      canvas.line(points, SvgCanvas.colour(i), LINE_WIDTH);
    }
  }

  private static double largest(List<Double> values) {
    return values.stream().mapToDouble(value -> value).max().orElse(0);
  }

  private double y(double value) {
    return bottom - (bottom - top) * value / most;
  }

  /** Returns the distance between ticks: 1, 2 or 5 times a power of ten. */
  private static double step(double most) {
    double least = most / MAX_TICKS;
    double power = Math.pow(10, Math.floor(Math.log10(least)));
    double times = least / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
  }
}
