// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.coppice.bench.report.RecordJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Markdown page about benchmarks. The text between its markers {@code <!-- rows: NAME -->} and
 * {@code <!-- end -->} comes from {@code NAME.json} in the page's directory: command, machine,
 * facts, and a line per row. The text after {@code <!-- beside: NAME OTHER -->} compares the
 * medians of two such files. A missing file is reported in the page.
 */
public final class BenchmarkPage {

  private static final Pattern MARKED =
      Pattern.compile(
          "(<!-- (?:rows|beside): ([a-z0-9-]+)(?: ([a-z0-9-]+))? -->\n).*?(<!-- end -->)",
          Pattern.DOTALL);

  private static final double SMALL = 100;

  private BenchmarkPage() {}

  /**
   * Returns the page with new text between its markers.
   *
   * @param page file of the page, which stays unchanged
   * @throws IOException if the page or a report file cannot be read
   */
  public static String filled(Path page) throws IOException {
    Matcher matcher = MARKED.matcher(Files.readString(page));
    StringBuilder filled = new StringBuilder();
    while (matcher.find()) {
      Optional<JsonNode> report = report(page, matcher.group(2));
      String other = matcher.group(3);
      Optional<JsonNode> second = other == null ? Optional.empty() : report(page, other);
      Optional<String> text =
          other == null
              ? report.map(BenchmarkPage::text)
              : report.flatMap(first -> second.map(found -> Agreement.text(first, found)));
      matcher.appendReplacement(
          filled,
          Matcher.quoteReplacement(matcher.group(1) + text.orElse(NONE) + matcher.group(4)));
    }
    return matcher.appendTail(filled).toString();
  }

  private static final String NONE = "\nNo run of it is committed yet.\n\n";

  private static Optional<JsonNode> report(Path page, String name) throws IOException {
    Path file = page.resolveSibling(name + ".json");
    return Files.exists(file) ? Optional.of(RecordJson.read(file)) : Optional.empty();
  }

  private static String text(JsonNode report) {
    List<String> lines = new ArrayList<>(List.of("", "```"));
    lines.add(report.get("command").asText());
    lines.add("```");
    lines.add("");
    lines.add("- " + report.get("machine").asText());
    lines.add("- " + report.get("rounds").asInt() + " rounds");
    report.path("facts").forEach(fact -> lines.add("- " + fact.asText()));
    report
        .path("stores")
        .forEach(
            store ->
                lines.add(
                    "- " + store.get("name").asText() + ": " + store.get("description").asText()));
    for (String side : List.of("ours", "peer")) {
      if (report.path(side).isTextual()) {
        lines.add("- " + side + ": " + report.get(side).asText());
      }
    }
    lines.add("");
    boolean findings = report.get("rows").path(0).has("claim");
    lines.addAll(findings ? findings(report) : rows(report));
    lines.add("");
    lines.add("");
    return String.join("\n", lines);
  }

  private static List<String> rows(JsonNode report) {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "| row | ours | peer | unit | ratio | range | spread | goal | | note |",
                "|---|---|---|---|---|---|---|---|---|---|"));
    for (JsonNode row : report.get("rows")) {
      lines.add(
          "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s |"
              .formatted(
                  row.get("id").asText(),
                  figure(row.path("ours")),
                  figure(row.path("peer")),
                  row.path("unit").asText(""),
                  ratio(row.path("ratio")),
                  range(row.path("range")),
                  spread(row),
                  ratio(row.path("goal")),
                  verdict(row),
                  row.path("note").asText("")));
    }
    return lines;
  }

  /**
   * Returns the verdict about a row. Files of earlier versions only say whether the goal is met.
   */
  private static String verdict(JsonNode row) {
    JsonNode met = row.path("met");
    if (!met.isBoolean() || met.asBoolean()) {
      return met.asBoolean() ? "met" : "";
    }
    return "**" + row.path("verdict").asText("missed").toLowerCase(Locale.ROOT) + "**";
  }

  /**
   * Returns the range of a row's ratios in percent of the median; empty if all rounds agree or
   * there is only one.
   */
  private static String spread(JsonNode row) {
    JsonNode spread = row.path("spread");
    boolean several =
        spread.isNumber() && !row.path("range").path(0).equals(row.path("range").path(1));
    return several ? String.format(Locale.ROOT, "%.0f %%", 100 * spread.asDouble()) : "";
  }

  private static List<String> findings(JsonNode report) {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "| id | what | the paper | predicted | measured | verdict | because |",
                "|---|---|---|---|---|---|---|"));
    for (JsonNode row : report.get("rows")) {
      lines.add(
          "| %s | %s | %s | %s | %s | %s | %s |"
              .formatted(
                  row.get("id").asText(),
                  row.get("set").asText(),
                  row.get("claim").asText(),
                  row.get("predicted").asText(),
                  row.get("measured").asText(),
                  row.get("verdict").asText(),
                  row.get("reason").asText()));
    }
    return lines;
  }

  private static String figure(JsonNode figure) {
    if (!figure.isNumber()) {
      return "–";
    }
    double value = figure.asDouble();
    return String.format(Locale.ROOT, Math.abs(value) < SMALL ? "%,.3f" : "%,.0f", value);
  }

  /** Returns a number with two decimals, or a dash if it is missing. */
  static String ratio(JsonNode ratio) {
    return ratio.isNumber() ? String.format(Locale.ROOT, "%.2f", ratio.asDouble()) : "–";
  }

  private static String range(JsonNode range) {
    return range.size() == 2 ? ratio(range.get(0)) + "..." + ratio(range.get(1)) : "";
  }
}
