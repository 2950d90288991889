// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.util.List;
import java.util.Random;

/** Values of a table's {@code compaction}: each strategy, small enough to work in a test. */
public final class Strategies {

  /** Size-tiered, leveled, unified, time-window. */
  public static final List<String> STOCK =
      List.of(
          "{'class': 'SizeTieredCompactionStrategy', 'min_threshold': '2'}",
          "{'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': '1'}",
          "{'class': 'UnifiedCompactionStrategy', 'target_sstable_size': '1MiB',"
              + " 'min_sstable_size': '0B'}",
          "{'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'MINUTES',"
              + " 'compaction_window_size': '1'}");

  /** Every class, and by the one that takes any policy those that have none of their own. */
  public static final List<String> OURS =
      List.of(
          ours("SplitForest", "'fanout': '2'"),
          ours("Delayed", "'l0_trigger': '2', 'vct': '3', 'base_size': '1MiB', 'fanout': '2'"),
          ours("Grouped", "'groups': '2'"),
          ours("LazyBinomial", "'k': '2'"),
          ours("Coppice", "'policy': 'leveled', 'l0_trigger': '2'"),
          ours("Coppice", "'policy': 'tiered', 'trigger': '2'"));

  private Strategies() {}

  /**
   * One of ours, with SSTables of 1 MiB.
   *
   * @param strategy its name without CompactionStrategy
   * @param options further ones, or nothing
   */
  public static String ours(String strategy, String options) {
    return "{'class': 'io.coppice.cassandra."
        + strategy
        + "CompactionStrategy', 'table_size': '1MiB'"
        + (options.isEmpty() ? "" : ", " + options)
        + "}";
  }

  /** One of ours, with small steps. */
  public static String any(Random random) {
    return and(
        OURS.get(random.nextInt(OURS.size())), "'cleaning_threshold': '" + random.nextInt(4) + "'");
  }

  /** The same with an option more. */
  public static String and(String compaction, String option) {
    return compaction.substring(0, compaction.length() - 1) + ", " + option + "}";
  }
}
