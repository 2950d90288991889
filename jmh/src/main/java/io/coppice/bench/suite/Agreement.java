// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How the median ratios of two runs of a suite agree. Compared are ratios, in which a quicker
 * machine stands above and below the line, and only of rows that both runs have.
 */
final class Agreement {

  private static final double TOLERANCE = 0.1;

  private Agreement() {}

  /** Both machines, a line a row with the second's ratio over the first's, and a count. */
  static String text(JsonNode first, JsonNode second) {
    Map<String, Double> before = new HashMap<>();
    for (JsonNode row : first.get("rows")) {
      if (row.path("ratio").isNumber()) {
        before.put(row.get("id").asText(), row.get("ratio").asDouble());
      }
    }
    List<String> table = new ArrayList<>();
    int within = 0;
    for (JsonNode row : second.get("rows")) {
      Double was = before.get(row.get("id").asText());
      if (was != null && row.path("ratio").isNumber()) {
        double now = row.get("ratio").asDouble();
        boolean agrees = Math.abs(now / was - 1) <= TOLERANCE;
        within += agrees ? 1 : 0;
        table.add(
            String.format(
                Locale.ROOT,
                "| `%s` | %.2f | %.2f | %+.0f %% | %s | %s | %s |",
                row.get("id").asText(),
                was,
                now,
                100 * (now / was - 1),
                agrees ? "yes" : "**no**",
                row.path("goal").isNumber()
                    ? String.format(Locale.ROOT, "%.2f", row.get("goal").asDouble())
                    : "",
                onOneSide(row.path("goal"), was, now)));
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

  private static String onOneSide(JsonNode goal, double first, double second) {
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
