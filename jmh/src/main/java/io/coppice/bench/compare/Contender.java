// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A compaction strategy with its options, as CQL takes it.
 *
 * @param id stable name on the command line and in reports
 * @param label short name in the table
 * @param className what CQL's {@code class} says
 * @param options the other compaction options
 * @param mustMove true if a run without a single metadata move is not believed
 */
record Contender(
    String id, String label, String className, Map<String, String> options, boolean mustMove) {

  private static final String STOCK = "org.apache.cassandra.db.compaction.";

  /** Flushes above a quarter MiB go into buckets by size, else one bucket would hold them all. */
  private static final String STCS_MIN_BYTES = "262144";

  Contender {
    options = Map.copyOf(options);
  }

  /** All strategies, in the order of the table, with SSTables of this size where they have one. */
  static List<Contender> all(int tableMib) {
    return List.of(
        new Contender(
            "stcs",
            "STCS",
            STOCK + "SizeTieredCompactionStrategy",
            Map.of("min_sstable_size", STCS_MIN_BYTES),
            false),
        new Contender(
            "lcs",
            "LCS",
            STOCK + "LeveledCompactionStrategy",
            Map.of("sstable_size_in_mb", Integer.toString(tableMib)),
            false),
        unified("ucs-t4", "UCS T4", "T4", tableMib),
        unified("ucs-l10", "UCS L10", "L10", tableMib),
        new Contender(
            "split-forest",
            "split forest",
            "io.coppice.cassandra.SplitForestCompactionStrategy",
            Map.of("fanout", "4", "table_size", tableMib + "MiB"),
            true));
  }

  private static Contender unified(String id, String label, String scaling, int tableMib) {
    return new Contender(
        id,
        label,
        STOCK + "UnifiedCompactionStrategy",
        Map.of(
            "scaling_parameters",
            scaling,
            "target_sstable_size",
            tableMib + "MiB",
            "min_sstable_size",
            tableMib * 512 + "KiB"),
        false);
  }

  /** The value of CQL's {@code compaction} property. */
  String cql() {
    Map<String, String> all = new TreeMap<>(options);
    String rest =
        all.entrySet().stream()
            .map(option -> ", '%s': '%s'".formatted(option.getKey(), option.getValue()))
            .collect(Collectors.joining());
    return "{'class': '" + className + "'" + rest + "}";
  }
}
