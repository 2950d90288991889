// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Holds the processor time of the tests against the budget. Maven calls it at the end of every
 * module. A module over its budget fails at once; the last module prints the most expensive classes
 * of all modules that this build has tested.
 */
public final class CostReport {

  /** Path of a module's records, below its directory. */
  static final Path RECORDS = Path.of("target", "test-cost.txt");

  private static final int MOST_EXPENSIVE = 10;
  private static final long MINUTE = 60_000;

  private final Path root;
  private final String build;
  private final Map<String, Double> budget;

  /** Milliseconds of a class, by module and name. */
  private final Map<String, Map<String, Long>> classes = new LinkedHashMap<>();

  /**
   * Reads the records of a build.
   *
   * @param root the directory of all modules
   * @param budget minutes for each module
   */
  CostReport(Path root, String build, Map<String, Double> budget) throws IOException {
    this.root = root;
    this.build = build;
    this.budget = budget;
    for (String module : budget.keySet()) {
      Map<String, Long> costs = new TreeMap<>();
      for (Cost cost : new CostFile(this.root.resolve(module).resolve(RECORDS)).of(this.build)) {
        costs.merge(cost.name(), cost.millis(), Long::sum);
      }
      if (!costs.isEmpty()) {
        classes.put(module, costs);
      }
    }
  }

  /**
   * Checks a module, and prints the report if it is the last one.
   *
   * @param arguments the directory of all modules; {@code off} or anything else; the name of the
   *     build; the directory of the module; and all modules of the build, as Maven prints them
   */
  public static void main(String[] arguments) throws IOException {
    Path root = Path.of(arguments[0]);
    CostReport report =
        new CostReport(root, arguments[2], budget(root.resolve(".ci").resolve("test-budget.txt")));
    Path module = Path.of(arguments[3]);
    String excess =
        arguments[1].equals("off") ? "" : report.excess(root.relativize(module).toString());
    // Maven says so for -q.
    boolean quiet = "error".equals(System.getProperty("org.slf4j.simpleLogger.defaultLogLevel"));
    boolean last = arguments[4].endsWith(module.resolve("pom.xml") + "]");
    if (!excess.isEmpty() || last && !quiet) {
      System.out.print(report.text());
    }
    if (!excess.isEmpty()) {
      throw new IllegalStateException(excess);
    }
  }

  /** Reads lines of a module and its minutes. */
  static Map<String, Double> budget(Path file) throws IOException {
    Map<String, Double> budget = new LinkedHashMap<>();
    for (String line : Files.readAllLines(file)) {
      if (!line.isBlank() && !line.startsWith("#")) {
        String[] words = line.split(" +");
        budget.put(words[0], Double.parseDouble(words[1]));
      }
    }
    return budget;
  }

  /** Returns why a module fails, or an empty text. */
  String excess(String module) {
    Double allowed = budget.get(module);
    if (allowed == null) {
      return "no budget for " + module + ": add a line to .ci/test-budget.txt";
    }
    double minutes = minutes(classes.getOrDefault(module, Map.of()));
    if (minutes <= allowed) {
      return "";
    }
    return String.format(
        Locale.ROOT,
        "The tests of %s took %.1f processor minutes; .ci/test-budget.txt allows %.1f. Make the"
            + " classes above cheaper. On a slow machine pass -Dtest.budget=off.",
        module,
        minutes,
        allowed);
  }

  /** Returns the report, or an empty text if no test ran. */
  String text() {
    if (classes.isEmpty()) {
      return "";
    }
    record Line(String module, String name, long millis) {}
    List<Line> lines =
        classes.entrySet().stream()
            .flatMap(
                module ->
                    module.getValue().entrySet().stream()
                        .map(cost -> new Line(module.getKey(), cost.getKey(), cost.getValue())))
            .sorted(Comparator.comparingLong(Line::millis).reversed().thenComparing(Line::name))
            .toList();
    StringBuilder text =
        new StringBuilder("Most expensive test classes, processor seconds with child processes:\n");
    lines.stream()
        .limit(MOST_EXPENSIVE)
        .forEach(
            line ->
                text.append(
                    String.format(
                        Locale.ROOT,
                        "%8.1f  %s %s%n",
                        line.millis / 1000.0,
                        line.module,
                        line.name)));
    double total = 0;
    double allowed = 0;
    for (Map.Entry<String, Map<String, Long>> module : classes.entrySet()) {
      double minutes = minutes(module.getValue());
      total += minutes;
      allowed += budget.get(module.getKey());
      text.append(line(minutes, budget.get(module.getKey()), module.getKey()));
    }
    return text.append(line(total, allowed, "all of " + lines.size() + " classes")).toString();
  }

  private static String line(double minutes, double allowed, String name) {
    return String.format(
        Locale.ROOT, "%8.1f  of %.1f processor minutes: %s%n", minutes, allowed, name);
  }

  private static double minutes(Map<String, Long> costs) {
    return (double) costs.values().stream().mapToLong(Long::longValue).sum() / MINUTE;
  }
}
