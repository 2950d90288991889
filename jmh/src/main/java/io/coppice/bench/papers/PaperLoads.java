// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.bench.engine.Trial;
import io.coppice.bench.peers.ProcessEstimate;
import io.coppice.bench.peers.Stores;
import io.coppice.bench.report.DataTable;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.StoreSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Loads of the experiments. All have tables of half a memtable and a growth factor of ten from
 * level to level.
 */
final class PaperLoads {

  static final StoreSpec LEVELED = Stores.LEVELED;
  static final StoreSpec DELAYED = delayed(12, 5);
  static final StoreSpec DELAYED_UNREAD = delayed(12, 64);
  static final StoreSpec TIERED = StoreSpec.ours("tiered,trigger=12");
  static final StoreSpec FOREST = StoreSpec.ours("split-forest,fanout=4");

  /** Name of the simulator's load that writes each key once. */
  static final String INSERT = "insert";

  /** Values of {@code vct}: least numbers of tables that delayed compaction merges. */
  static final List<Integer> VCTS = List.of(0, 4, 8, 12, 16, 20);

  /**
   * Values of {@code vsmt}: least numbers of tables in a segment that make a read request a merge.
   */
  static final List<Integer> VSMTS = List.of(3, 4, 5, 6, 8, 11);

  static final List<Integer> GROUPS = List.of(2, 3, 4, 5, 6, 7, 10);

  /**
   * Values of {@code cleaning_threshold}: output tables after which a merge step ends; 0 means only
   * at the end.
   */
  static final List<Integer> CLEANINGS = List.of(1, 10, 100, 0);

  private record Load(
      String id,
      List<String> stores,
      String entries,
      String value,
      String workloads,
      List<String> options) {}

  private static final List<Load> LOADS = DataTable.rows(Load.class, "loads.txt");

  private PaperLoads() {}

  static StoreSpec delayed(int vct, int vsmt) {
    return StoreSpec.ours("delayed,fanout=10,vct=" + vct + ",vsmt=" + vsmt);
  }

  static StoreSpec grouped(int groups) {
    return StoreSpec.ours("grouped,groups=" + groups);
  }

  static StoreSpec forestCleaning(int tables) {
    return StoreSpec.ours("split-forest,fanout=4,cleaning_threshold=" + tables);
  }

  /** Returns all loads, in the order of the papers. */
  static List<Trial> of(PaperScale scale, long seed) {
    return LOADS.stream().map(load -> trial(load, scale, seed)).toList();
  }

  private static Stream<StoreSpec> stores(String name) {
    return switch (name) {
      case "leveled" -> Stream.of(LEVELED);
      case "delayed" -> Stream.of(DELAYED);
      case "unread" -> Stream.of(DELAYED_UNREAD);
      case "tiered" -> Stream.of(TIERED);
      case "forest" -> Stream.of(FOREST);
      case "rocksdb" -> Stream.of(Stores.ROCKSDB);
      case "universal" -> Stream.of(Stores.UNIVERSAL);
      case "vcts" -> VCTS.stream().map(vct -> delayed(vct, 64));
      case "vsmts" -> VSMTS.stream().map(vsmt -> delayed(12, vsmt));
      case "groups" -> GROUPS.stream().map(PaperLoads::grouped);
      case "cleanings" -> CLEANINGS.stream().map(PaperLoads::forestCleaning);
      default -> throw new IllegalArgumentException("no store is named " + name);
    };
  }

  private static Trial trial(Load load, PaperScale scale, long seed) {
    List<StoreSpec> stores = load.stores.stream().flatMap(PaperLoads::stores).toList();
    long tableBytes = scale.memtableBytes() / 2;
    Map<String, String> given = new HashMap<>();
    given.put("benchmarks", load.workloads);
    given.put("num", Long.toString(DataTable.number(scale, load.entries)));
    given.put("value-size", load.value);
    given.put("memtable-size", Long.toString(scale.memtableBytes()));
    given.put("table-size", Long.toString(tableBytes));
    given.put("stores", stores.stream().map(StoreSpec::label).collect(Collectors.joining(",")));
    given.put("profile", "paper");
    given.put("seed", Long.toString(seed));
    if (load.workloads.contains("switchpolicy")) {
      given.put("later-policy", LEVELED.policy() + ",table_size=" + tableBytes);
    }
    for (String option : load.options) {
      String[] words = option.split("=");
      given.put(words[0], value(scale, words[1]));
    }
    BenchOptions options = BenchOptions.parse(given);
    double seconds =
        stores.stream()
                .mapToDouble(store -> ProcessEstimate.secondsWithWarmUp(store, options))
                .sum()
            / stores.size();
    return Trial.of(load.id, stores, 1, options, seconds);
  }

  private static String value(PaperScale scale, String text) {
    if (text.equals("seconds")) {
      return Double.toString(scale.seconds());
    }
    return Character.isDigit(text.charAt(0)) ? text : Long.toString(DataTable.number(scale, text));
  }
}
