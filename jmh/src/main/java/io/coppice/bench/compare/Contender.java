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
 * @param proof evidence without which a run is invalid
 */
record Contender(
    String id, String label, String className, Map<String, String> options, Proof proof) {

  /** Evidence that a strategy must show besides rewriting, under the load of a comparison. */
  enum Proof {
    NONE,
    /** An SSTable has changed level by metadata alone. */
    MOVES,
    /** A merge has been put off, as a virtual compaction. */
    DELAYS
  }

  /** Smallest number of SSTables that {@code delayed} merges at once instead of deferring. */
  static final int VCT = 12;

  private static final String STOCK = "org.apache.cassandra.db.compaction.";
  private static final String OURS = "io.coppice.cassandra.";

  /** Flushes above a quarter MiB go into buckets by size, else one bucket would hold them all. */
  private static final String STCS_MIN_BYTES = "262144";

  /**
   * Ids of the strategies of a comparison that names none: three of Cassandra's, three of
   * Coppice's.
   */
  static final List<String> FIRST =
      List.of("stcs", "lcs", "ucs-t4", "split-forest", "split-forest-8", "lazy-binomial");

  Contender {
    options = Map.copyOf(options);
  }

  /**
   * All strategies, in the order of the table, with SSTables of this size where they have one. Ids
   * are never renamed.
   */
  static List<Contender> all(int tableMib) {
    return List.of(
        new Contender(
            "stcs",
            "STCS",
            STOCK + "SizeTieredCompactionStrategy",
            Map.of("min_sstable_size", STCS_MIN_BYTES),
            Proof.NONE),
        new Contender(
            "stcs-8",
            "STCS max 8",
            STOCK + "SizeTieredCompactionStrategy",
            Map.of("min_sstable_size", STCS_MIN_BYTES, "min_threshold", "4", "max_threshold", "8"),
            Proof.NONE),
        new Contender(
            "lcs",
            "LCS",
            STOCK + "LeveledCompactionStrategy",
            Map.of("sstable_size_in_mb", Integer.toString(tableMib)),
            Proof.NONE),
        unified("ucs-t4", "UCS T4", "T4", tableMib),
        unified("ucs-t8", "UCS T8", "T8", tableMib),
        unified("ucs-l10", "UCS L10", "L10", tableMib),
        ours("split-forest", "split forest", "SplitForest", "fanout", 4, Proof.MOVES, tableMib),
        ours("split-forest-8", "split forest 8", "SplitForest", "fanout", 8, Proof.NONE, tableMib),
        ours("grouped", "grouped", "Grouped", "groups", 4, Proof.NONE, tableMib),
        ours("lazy-binomial", "lazy binomial", "LazyBinomial", "k", 8, Proof.MOVES, tableMib),
        ours("delayed", "delayed", "Delayed", "vct", VCT, Proof.DELAYS, tableMib));
  }

  private static Contender ours(
      String id, String label, String name, String option, int value, Proof proof, int tableMib) {
    return new Contender(
        id,
        label,
        OURS + name + "CompactionStrategy",
        Map.of(option, Integer.toString(value), "table_size", tableMib + "MiB"),
        proof);
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
        Proof.NONE);
  }

  /** Returns whether the strategy belongs to this project. */
  boolean isOurs() {
    return className.startsWith(OURS);
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
