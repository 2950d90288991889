// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Draws the table of docs/policies/choose.md: mean runs from left to right, bytes written per byte
 * of uniform updates from bottom to top, one point per policy. Policies with the same figures share
 * a point. Usage: java docs/img/Choose.java choose.md choose.svg
 */
final class Choose {

  private static final int WIDTH = 800;
  private static final int HEIGHT = 420;
  private static final int LEFT = 70;
  private static final int BOTTOM = 60;
  private static final int TOP = 30;
  private static final int RIGHT = 40;
  private static final double MAX_RUNS = 11;
  private static final double MAX_WRITTEN = 13;

  private static final Pattern ROW =
      Pattern.compile(
          "(?m)^\\| `([a-z-]+)` \\| [0-9.]+ \\| ([0-9.]+) \\| [0-9.]+ \\| [0-9.]+ \\| ([0-9.]+) \\| ([0-9.]+) \\|");

  private record Point(String name, double written, double runs, double space) {}

  public static void main(String[] arguments) throws IOException {
    Files.writeString(Path.of(arguments[1]), svg(points(Files.readString(Path.of(arguments[0])))));
  }

  private static List<Point> points(String page) {
    List<Point> points = new ArrayList<>();
    Matcher row = ROW.matcher(page);
    while (row.find()) {
      Point next =
          new Point(
              row.group(1),
              Double.parseDouble(row.group(2)),
              Double.parseDouble(row.group(3)),
              Double.parseDouble(row.group(4)));
      int same = -1;
      for (int i = 0; i < points.size(); i++) {
        if (points.get(i).written == next.written && points.get(i).runs == next.runs) {
          same = i;
        }
      }
      if (same < 0) {
        points.add(next);
      } else {
        Point earlier = points.get(same);
        points.set(
            same,
            new Point(earlier.name + ", " + next.name, next.written, next.runs, next.space));
      }
    }
    return points;
  }

  private static String svg(List<Point> points) {
    StringBuilder out = new StringBuilder();
    line(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\"", WIDTH, HEIGHT);
    line(out, " width=\"%d\" height=\"%d\" role=\"img\"", WIDTH, HEIGHT);
    line(out, " aria-label=\"Mean runs and bytes written per byte of each policy\">");
    line(out, "<style>");
    line(out, "text { font: 14px sans-serif; fill: #24292f } .axis { stroke: #8c959f }");
    line(out, ".grid { stroke: #d0d7de } circle { fill: #1a7f37 }");
    line(out, "@media (prefers-color-scheme: dark) { text { fill: #e6edf3 }");
    line(out, ".grid { stroke: #30363d } circle { fill: #3fb950 } }");
    line(out, "</style>");
    for (int runs = 0; runs <= MAX_RUNS; runs += 2) {
      line(out, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\">%d</text>", x(runs), HEIGHT - BOTTOM + 20, runs);
    }
    for (int written = 0; written <= MAX_WRITTEN; written += 4) {
      line(
          out,
          "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.0f\" y2=\"%.0f\"/>",
          LEFT,
          WIDTH - RIGHT,
          y(written),
          y(written));
      line(out, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">%d</text>", LEFT - 10, y(written) + 5, written);
    }
    line(
        out,
        "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>",
        LEFT,
        WIDTH - RIGHT,
        HEIGHT - BOTTOM,
        HEIGHT - BOTTOM);
    line(
        out,
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">mean runs over a key: fewer is better</text>",
        (LEFT + WIDTH - RIGHT) / 2,
        HEIGHT - 12);
    line(out, "<text x=\"%d\" y=\"18\">bytes written per byte, uniform updates: fewer is better</text>", LEFT);
    for (Point point : points) {
      line(out, "<circle cx=\"%.0f\" cy=\"%.0f\" r=\"6\"/>", x(point.runs), y(point.written));
      // A label to the left, where points follow on the right.
      boolean left = point.runs > 6 && point.runs < 8;
      line(
          out,
          "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\">%s</text>",
          x(point.runs) + (left ? -12 : 12),
          y(point.written) + 5,
          left ? "end" : "start",
          point.name);
    }
    line(out, "</svg>");
    return out.toString();
  }

  private static double x(double runs) {
    return LEFT + runs / MAX_RUNS * (WIDTH - LEFT - RIGHT);
  }

  private static double y(double written) {
    return HEIGHT - BOTTOM - written / MAX_WRITTEN * (HEIGHT - BOTTOM - TOP);
  }

  private static void line(StringBuilder out, String format, Object... values) {
    out.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
