// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The generator of the README's picture: three groups of bars with the results of a comparison,
 * readable at 800 pixels, in light and dark mode. Usage: java docs/img/Summary.java compare.json
 * summary.svg
 */
final class Summary {

  private static final int WIDTH = 800;
  private static final int NAME_WIDTH = 180;
  private static final int BAR_WIDTH = 520;
  private static final int ROW = 24;
  private static final int GROUP_GAP = 44;

  private record Figure(String title, String pattern, int decimals, String unit) {}

  private static final List<Figure> FIGURES =
      List.of(
          new Figure(
              "Write amplification: bytes written per byte flushed",
              "\"write_amplification\" : ([0-9.]+)",
              2,
              ""),
          new Figure(
              "Sorted runs per token, which a range scan reads",
              "\"runs_per_token_mean\" : ([0-9.]+)",
              1,
              ""),
          new Figure(
              "Extra disk of a major compaction, % of live data",
              "\"extra_percent_of_live\" : ([0-9.]+)",
              1,
              " %"));

  /** Display names by the names in the file. The strategies of Coppice come last. */
  private static final Map<String, String> STRATEGIES = new LinkedHashMap<>();

  static {
    STRATEGIES.put("stcs", "STCS");
    STRATEGIES.put("lcs", "LCS");
    STRATEGIES.put("ucs-t4", "UCS T4");
    STRATEGIES.put("split-forest", "split forest");
    STRATEGIES.put("split-forest-8", "split forest, fanout 8");
    STRATEGIES.put("lazy-binomial", "lazy binomial");
  }

  private static final int PEERS = 3;

  public static void main(String[] arguments) throws IOException {
    Path json = Path.of(arguments[0]);
    Files.writeString(Path.of(arguments[1]), svg(Files.readString(json)));
  }

  private static String svg(String json) {
    int height = 34 + FIGURES.size() * (STRATEGIES.size() * ROW + GROUP_GAP);
    StringBuilder out = new StringBuilder();
    line(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\"", WIDTH, height);
    line(out, " width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s\">", WIDTH, height, label());
    line(out, "<style>");
    line(out, "text { font: 14px sans-serif; fill: #24292f }");
    line(out, ".title { font-weight: bold; font-size: 15px }");
    line(out, ".peer { fill: #9aa4af }");
    line(out, ".coppice { fill: #2f7d4f }");
    line(out, "@media (prefers-color-scheme: dark) {");
    line(out, "text { fill: #e6edf3 }");
    line(out, ".peer { fill: #6e7681 }");
    line(out, ".coppice { fill: #4fb477 }");
    line(out, "}");
    line(out, "</style>");
    line(out, "<rect class=\"peer\" x=\"0\" y=\"4\" width=\"14\" height=\"14\"/>");
    line(out, "<text x=\"20\" y=\"16\">Cassandra 5.0.9</text>");
    line(out, "<rect class=\"coppice\" x=\"160\" y=\"4\" width=\"14\" height=\"14\"/>");
    line(out, "<text x=\"180\" y=\"16\">Coppice</text>");
    line(out, "<text x=\"%d\" y=\"16\" text-anchor=\"end\">lower is better</text>", WIDTH);
    int y = 34;
    for (Figure figure : FIGURES) {
      y = group(out, figure, json, y);
    }
    line(out, "</svg>");
    return out.toString();
  }

  private static int group(StringBuilder out, Figure figure, String json, int top) {
    double most = STRATEGIES.keySet().stream().mapToDouble(s -> value(json, s, figure)).max().orElseThrow();
    int y = top + 20;
    line(out, "<text class=\"title\" x=\"0\" y=\"%d\">%s</text>", y, figure.title);
    y += 8;
    int index = 0;
    for (Map.Entry<String, String> strategy : STRATEGIES.entrySet()) {
      double value = value(json, strategy.getKey(), figure);
      long width = Math.max(1, Math.round(BAR_WIDTH * value / most));
      String kind = index++ < PEERS ? "peer" : "coppice";
      int base = y + 17;
      line(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>", NAME_WIDTH - 8, base, strategy.getValue());
      line(
          out,
          "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
          kind, NAME_WIDTH, y + 3, width, ROW - 6);
      line(
          out,
          "<text x=\"%d\" y=\"%d\">%s%s</text>",
          NAME_WIDTH + width + 6,
          base,
          String.format(Locale.ROOT, "%." + figure.decimals + "f", value),
          figure.unit);
      y += ROW;
    }
    return y + GROUP_GAP - 28;
  }

  /** Returns the result of the strategy's first run. */
  private static double value(String json, String strategy, Figure figure) {
    int from = json.indexOf("\"strategy\" : \"" + strategy + "\"");
    int next = json.indexOf("\"strategy\" : ", from + 1);
    Matcher found = Pattern.compile(figure.pattern).matcher(json);
    found.region(Math.max(0, from), next < 0 ? json.length() : next);
    if (from < 0 || !found.find()) {
      throw new IllegalArgumentException("no " + figure.title + " of " + strategy + " in the file");
    }
    return Double.parseDouble(found.group(1));
  }

  private static String label() {
    return "Write amplification, runs per token and extra disk of six compaction strategies";
  }

  private static void line(StringBuilder out, String format, Object... values) {
    out.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
