// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.bench.engine.Trial;
import io.coppice.bench.engine.TrialResults;
import io.coppice.bench.report.DataTable;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.StoreSpec;
import io.coppice.workload.BenchmarkKeys;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Loads of the suites, made from a table and a scale. */
record PeerTrials(PeerScale scale, int rounds, long seed) {

  static final String MAIN = "main";
  static final String ORDERED = "ordered";
  static final String PAIRS = "pairs";
  static final String INSERTS = "inserts";
  static final String OPEN_LOOP = "open-loop";

  private record Load(
      String id,
      List<String> stores,
      String rounds,
      String entries,
      String memtable,
      String table,
      double share,
      String workloads,
      List<String> options) {}

  private static final List<Load> LOADS = DataTable.rows(Load.class, "loads.txt");

  private static final int VALUE_BYTES = 100;
  private static final int ENTRY_BYTES = BenchmarkKeys.BYTES + VALUE_BYTES;
  private static final long MIN_MEMTABLE_BYTES = 64L << 10;

  /**
   * Table size in bytes if memtables are at least twice as large; otherwise tables have half a
   * memtable.
   */
  private static final long TABLE_BYTES = 4L << 20;

  /**
   * Share of the unique keys that timed loads write, so that their rounds take less than half of
   * the whole run.
   */
  private static final double TIMED_SHARE = 0.75;

  /** Least number of pairs of measurements for a verdict on a goal near 1. */
  private static final int MIN_PAIRS = 10;

  /**
   * Returns the id of the load whose measured rate determines the rate of another load; empty if no
   * load does.
   */
  static Optional<String> before(String id) {
    return id.startsWith(OPEN_LOOP) ? Optional.of(MAIN) : Optional.empty();
  }

  /**
   * Returns all loads in the order of a round.
   *
   * @param rounds number of rounds of the main stores
   */
  static List<Trial> of(PeerScale scale, int rounds, long seed) {
    PeerTrials trials = new PeerTrials(scale, rounds, seed);
    return LOADS.stream().map(trials::trial).toList();
  }

  private Trial trial(Load load) {
    List<StoreSpec> stores = load.stores.stream().map(Stores.NAMED::get).toList();
    boolean openLoop = load.id.startsWith(OPEN_LOOP);
    BenchOptions room = options(load, openLoop ? "fillrandom" : load.workloads, Map.of());
    double seconds =
        stores.stream().mapToDouble(store -> ProcessEstimate.seconds(store, room)).sum()
            / stores.size()
            / load.share;
    return new Trial(
        load.id,
        stores,
        rounds(load.rounds),
        room,
        measured -> openLoop ? openLoop(load, measured, stores.get(0)) : room,
        seconds);
  }

  private int rounds(String kind) {
    return switch (kind) {
      case "all" -> rounds;
      case "pairs" -> scale.isQuoted() ? Math.max(MIN_PAIRS, rounds) : rounds;
      case "paced" -> scale.isFull() ? rounds : 1;
      default -> 1;
    };
  }

  private BenchOptions options(Load load, String workloads, Map<String, String> more) {
    long entries =
        load.entries.equals("timed")
            ? (long) ((scale.isFull() ? 1 : TIMED_SHARE) * scale.smallEntries())
            : DataTable.number(scale, load.entries);
    long memtable =
        load.memtable.startsWith("data/")
            ? entries * ENTRY_BYTES / Long.parseLong(load.memtable.substring(5))
            : DataTable.number(scale, load.memtable);
    memtable = Math.max(MIN_MEMTABLE_BYTES, memtable);
    long table = load.table.isEmpty() ? Math.min(TABLE_BYTES, memtable / 2) : memtable;
    Map<String, String> given = new HashMap<>();
    given.put("benchmarks", workloads);
    given.put("num", Long.toString(entries));
    given.put("memtable-size", Long.toString(memtable));
    given.put("value-size", Integer.toString(VALUE_BYTES));
    given.put("seed", Long.toString(seed));
    given.put("duration", Double.toString(scale.readSeconds()));
    given.put("table-size", Long.toString(table));
    for (String option : load.options) {
      given.put(
          option.substring(0, option.indexOf('=')), option.substring(option.indexOf('=') + 1));
    }
    given.putAll(more);
    return BenchOptions.parse(given);
  }

  /**
   * Returns options whose write rate is a share of the rate that the store reached at full speed.
   */
  private BenchOptions openLoop(Load load, TrialResults measured, StoreSpec store) {
    double rate = measured.cells(MAIN, store, Benchmark.FILLRANDOM).get(0).settledRate();
    long bytes = Math.max(1, Math.round(load.share * rate * ENTRY_BYTES));
    return options(
        load, load.workloads, Map.of("benchmark-write-rate-limit", Long.toString(bytes)));
  }
}
