// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Comparison of two runs of a suite by their median ratios, for the rows that both have. Ratios are
 * compared because the speed of the machine affects both sides of a ratio.
 */
final class Agreement {

  private static final double TOLERANCE = 0.1;

  private Agreement() {}

  /**
   * Returns a Markdown text: both machines, the number of rows that agree, and a table of the rows
   * that have a ratio in both runs. Each row shows both median ratios, the change in percent,
   * whether it is at most a tenth, the goal, and which runs reach it.
   */
  static String text(JsonNode first, JsonNode second) {
    Map<String, JsonNode> before = new HashMap<>();
    for (JsonNode row : first.get("rows")) {
      if (row.path("ratio").isNumber()) {
        before.put(row.get("id").asText(), row.get("ratio"));
      }
    }
    List<String> table = new ArrayList<>();
    int within = 0;
    for (JsonNode row : second.get("rows")) {
      JsonNode was = before.get(row.get("id").asText());
      if (was != null && row.path("ratio").isNumber()) {
        double now = row.get("ratio").asDouble();
        double change = now / was.asDouble() - 1;
        boolean agrees = Math.abs(change) <= TOLERANCE;
        within += agrees ? 1 : 0;
        table.add(
            String.format(
                Locale.ROOT,
                "| `%s` | %s | %s | %+.0f %% | %s | %s | %s |",
                row.get("id").asText(),
                BenchmarkPage.ratio(was),
                BenchmarkPage.ratio(row.get("ratio")),
                100 * change,
                agrees ? "yes" : "**no**",
                BenchmarkPage.ratio(row.path("goal")),
                reached(row.path("goal"), was.asDouble(), now)));
      }
    }
    List<String> lines = new ArrayList<>(List.of(""));
    lines.add("- first: " + first.get("machine").asText());
    lines.add("- second: " + second.get("machine").asText());
    lines.add("- medians within a tenth of the first's: " + within + " of " + table.size());
    lines.add("");
    lines.add("| row | first | second | change | within a tenth | goal | by their medians |");
    lines.add("|---|---|---|---|---|---|---|");
    lines.addAll(table);
    lines.add("");
    lines.add("");
    return String.join("\n", lines);
  }

  private static String reached(JsonNode goal, double first, double second) {
    if (!goal.isNumber()) {
      return "";
    }
    boolean was = first >= goal.asDouble();
    boolean is = second >= goal.asDouble();
    if (was && is) {
      return "both reach it";
    }
    return was ? "**the first alone**" : is ? "**the second alone**" : "**neither**";
  }
}
