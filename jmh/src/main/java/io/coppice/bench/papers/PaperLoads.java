// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.bench.engine.BenchOptions;
import io.coppice.bench.engine.StoreSpec;
import io.coppice.bench.engine.Trial;
import io.coppice.bench.peers.Estimate;
import io.coppice.bench.peers.Stores;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The loads of the experiments: tables are half a memtable everywhere, levels grow by ten. */
final class PaperLoads {

  static final StoreSpec LEVELED = Stores.LEVELED;
  static final StoreSpec DELAYED = delayed(12, 5);
  static final StoreSpec DELAYED_UNREAD = delayed(12, 64);
  static final StoreSpec TIERED = StoreSpec.ours("tiered,trigger=12");
  static final StoreSpec FOREST = StoreSpec.ours("split-forest,fanout=4");

  /** Of delayed compaction: tables from which on merges are made. */
  static final List<Integer> VCTS = List.of(0, 4, 8, 12, 16, 20);

  /** Of delayed compaction: tables from which on a read has them merged. */
  static final List<Integer> VSMTS = List.of(3, 4, 5, 6, 8, 11);

  static final List<Integer> GROUPS = List.of(2, 3, 4, 5, 6, 7, 10);

  /** Tables after which a merge of the forest cleans; 0 for never. */
  static final List<Integer> CLEANINGS = List.of(1, 10, 100, 0);

  private static final int RECORD_VALUE = 240;
  private static final int SHORT_RECORD_VALUE = 112;
  private static final int LONG_RECORD_VALUE = 624;
  private static final int ENTRY_VALUE = 100;
  private static final int KEY_VALUE = 1008;
  private static final double DISK_BYTES_PER_SECOND = 8e6;

  private final PaperScale scale;
  private final long seed;
  private final List<Trial> trials = new ArrayList<>();

  private PaperLoads(PaperScale scale, long seed) {
    this.scale = scale;
    this.seed = seed;
  }

  static StoreSpec delayed(int vct, int vsmt) {
    return StoreSpec.ours("delayed,fanout=10,vct=" + vct + ",vsmt=" + vsmt);
  }

  static StoreSpec grouped(int groups) {
    return StoreSpec.ours("grouped,groups=" + groups);
  }

  static StoreSpec forestCleaning(int tables) {
    return StoreSpec.ours("split-forest,fanout=4,cleaning_threshold=" + tables);
  }

  /** All trials. */
  static List<Trial> of(PaperScale scale, long seed) {
    PaperLoads loads = new PaperLoads(scale, seed);
    loads.delayed();
    loads.delayedSweeps();
    loads.grouped();
    loads.leveledAndTiered();
    loads.forests();
    return List.copyOf(loads.trials);
  }

  private void add(String id, List<StoreSpec> stores, int entries, int valueBytes, String... more) {
    Map<String, String> given = new HashMap<>();
    given.put("benchmarks", "filluniquerandom");
    given.put("num", Integer.toString(entries));
    given.put("value_size", Integer.toString(valueBytes));
    given.put("memtable_size", Long.toString(scale.memtableBytes()));
    given.put("table_size", Long.toString(scale.memtableBytes() / 2));
    given.put("stores", stores.stream().map(StoreSpec::label).collect(Collectors.joining(",")));
    given.put("profile", "paper");
    given.put("seed", Long.toString(seed));
    for (int i = 0; i < more.length; i += 2) {
      given.put(more[i], more[i + 1]);
    }
    BenchOptions options = BenchOptions.parse(given, List.of());
    double seconds =
        stores.stream().mapToDouble(store -> Estimate.secondsWithWarmUp(store, options)).sum()
            / stores.size();
    trials.add(Trial.of(id, stores, 1, options, seconds));
  }

  private String seconds() {
    return Double.toString(scale.seconds());
  }

  private void delayed() {
    int records = scale.records();
    List<StoreSpec> both = List.of(LEVELED, DELAYED);
    add(
        "d-unique",
        List.of(LEVELED, DELAYED, DELAYED_UNREAD, Stores.ROCKSDB),
        records,
        RECORD_VALUE,
        "benchmarks",
        "filluniquerandom,readrandom,readrandom",
        "bloom_bits",
        "0",
        "duration",
        seconds());
    add("d-zipf", both, records, RECORD_VALUE, "benchmarks", "fillrandom", "zipf", "0.99");
    for (int reads : List.of(20, 80)) {
      add(
          "d-mix-" + reads,
          both,
          records / 2,
          RECORD_VALUE,
          "benchmarks",
          "filluniquerandom,readrandomwriterandom",
          "readwritepercent",
          Integer.toString(reads),
          "reads",
          Integer.toString(records));
    }
    add("d-half", both, records / 2, RECORD_VALUE);
    add("d-double", both, 2 * records, RECORD_VALUE);
    add("d-short", both, 2 * records, SHORT_RECORD_VALUE);
    add("d-long", both, records / 2, LONG_RECORD_VALUE);
    add(
        "d-slow",
        both,
        records / 4,
        RECORD_VALUE,
        "merge_rate",
        Long.toString((long) DISK_BYTES_PER_SECOND));
  }

  /**
   * Tables and bytes are counted, not time, so the writer waits for merges: else the flushes that
   * each merge of level 0 takes in, and those left in it at the end, are the machine's choice.
   */
  private void delayedSweeps() {
    String reads = "filluniquerandom,readrandom,readrandom";
    add(
        "d-vct",
        VCTS.stream().map(vct -> delayed(vct, 64)).toList(),
        scale.records() / 2,
        RECORD_VALUE,
        "benchmarks",
        reads,
        "rests",
        "1",
        "bloom_bits",
        "0",
        "duration",
        seconds());
    List<StoreSpec> stores = new ArrayList<>(List.of(LEVELED));
    VSMTS.forEach(vsmt -> stores.add(delayed(12, vsmt)));
    add(
        "d-vsmt",
        stores,
        scale.records() / 2,
        RECORD_VALUE,
        "benchmarks",
        reads,
        "rests",
        "1",
        "bloom_bits",
        "0",
        "duration",
        seconds());
  }

  private void grouped() {
    List<StoreSpec> stores = new ArrayList<>(List.of(LEVELED));
    GROUPS.forEach(groups -> stores.add(grouped(groups)));
    add(
        "g",
        stores,
        scale.entries(),
        ENTRY_VALUE,
        "benchmarks",
        "filluniquerandom,readrandom,readrandomwriterandom",
        "readwritepercent",
        "25",
        "reads",
        Integer.toString(scale.entries() / 2));
    add("g-paced", stores, scale.entries(), ENTRY_VALUE, "rests", "1");
  }

  private void leveledAndTiered() {
    List<StoreSpec> both = List.of(LEVELED, TIERED, Stores.ROCKSDB, Stores.UNIVERSAL);
    for (String law : List.of("uniform", "zipf")) {
      for (int reads : List.of(50, 95)) {
        add(
            "l-" + law + "-" + reads,
            both,
            scale.keys(),
            KEY_VALUE,
            "benchmarks",
            "filluniquerandom,readrandomwriterandom",
            "readwritepercent",
            Integer.toString(reads),
            "reads",
            // Where few are writes, the curves would else end after some seconds.
            Integer.toString(scale.operations() * (reads > 90 ? 3 : 1)),
            "zipf",
            law.equals("zipf") ? "0.99" : "0",
            "timeline",
            "1");
      }
    }
    add(
        "l-phases",
        List.of(LEVELED, TIERED),
        scale.keys(),
        KEY_VALUE,
        "benchmarks",
        "filluniquerandom,overwrite,readrandom,seekrandom",
        "duration",
        seconds());
    add(
        "l-switched",
        List.of(TIERED),
        scale.keys(),
        KEY_VALUE,
        "benchmarks",
        "filluniquerandom,overwrite,switchpolicy,readrandom,seekrandom",
        "later_policy",
        LEVELED.policy() + ",table_size=" + scale.memtableBytes() / 2,
        "duration",
        seconds());
  }

  private void forests() {
    List<StoreSpec> stores = List.of(LEVELED, FOREST, TIERED);
    add("s-random", stores, scale.entries(), ENTRY_VALUE);
    add("s-ordered", stores, scale.entries(), ENTRY_VALUE, "benchmarks", "fillseq");
    add(
        "s-space",
        CLEANINGS.stream().map(PaperLoads::forestCleaning).toList(),
        scale.entries(),
        ENTRY_VALUE);
  }
}
