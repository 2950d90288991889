// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import io.coppice.bench.report.DataTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A compaction strategy with its options, as CQL takes it.
 *
 * @param id stable name on the command line and in reports
 * @param label short name in the table
 * @param className value of CQL's {@code class}
 * @param options the other compaction options
 * @param proof event that a valid run must contain
 */
public record Contender(
    String id, String label, String className, Map<String, String> options, Proof proof) {

  /** Event that must occur in a valid run of a strategy, besides rewrites. */
  public enum Proof {
    NONE,
    /** An SSTable has changed level by metadata alone. */
    MOVES,
    /** A merge was deferred as a virtual compaction. */
    DELAYS
  }

  private static final String STOCK = "org.apache.cassandra.db.compaction.";
  private static final String OURS = "io.coppice.cassandra";

  private record Line(String id, String label, String type, List<String> options, Proof proof) {}

  private static final List<Line> LINES = DataTable.rows(Line.class, "strategies.txt");

  /**
   * Ids of the strategies of a comparison that names none: three of Cassandra's, three of
   * Coppice's.
   */
  static final List<String> FIRST =
      List.of("stcs", "lcs", "ucs-t4", "split-forest", "split-forest-8", "lazy-binomial");

  public Contender {
    options = Map.copyOf(options);
  }

  /**
   * Returns all strategies in the order of the table.
   *
   * @param tableMib target size of an SSTable in MiB, for strategies that have one
   */
  public static List<Contender> all(int tableMib) {
    List<Contender> all = new ArrayList<>();
    for (Line line : LINES) {
      Map<String, String> options = new HashMap<>();
      for (String option : line.options) {
        String[] words = option.split("=");
        String value = words[1].replace("MIB", "" + tableMib).replace("KIB", "" + 512 * tableMib);
        options.put(words[0], value);
      }
      String start = line.type.startsWith(".") ? OURS : STOCK;
      String type = start + line.type + "CompactionStrategy";
      all.add(new Contender(line.id, line.label, type, options, line.proof));
    }
    return all;
  }

  /** Returns whether the strategy is one of Coppice's. */
  boolean isOurs() {
    return className.startsWith(OURS);
  }

  /** Returns the value of CQL's {@code compaction} property, a map literal. */
  public String cql() {
    Map<String, String> all = new TreeMap<>(options);
    String rest =
        all.entrySet().stream()
            .map(option -> ", '%s': '%s'".formatted(option.getKey(), option.getValue()))
            .collect(Collectors.joining());
    return "{'class': '" + className + "'" + rest + "}";
  }
}
