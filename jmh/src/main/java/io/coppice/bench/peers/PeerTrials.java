// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import static io.coppice.bench.peers.Stores.DELAYED;
import static io.coppice.bench.peers.Stores.FOREST;
import static io.coppice.bench.peers.Stores.FOREST_UNCLEANED;
import static io.coppice.bench.peers.Stores.GROUPED;
import static io.coppice.bench.peers.Stores.LAZY;
import static io.coppice.bench.peers.Stores.LEVELDB;
import static io.coppice.bench.peers.Stores.LEVELED;
import static io.coppice.bench.peers.Stores.LMDB;
import static io.coppice.bench.peers.Stores.MAPDB;
import static io.coppice.bench.peers.Stores.MVSTORE;
import static io.coppice.bench.peers.Stores.ROCKSDB;
import static io.coppice.bench.peers.Stores.UNIVERSAL;
import static io.coppice.bench.peers.Stores.XODUS;

import io.coppice.bench.engine.BenchOptions;
import io.coppice.bench.engine.Benchmark;
import io.coppice.bench.engine.CellResult;
import io.coppice.bench.engine.Measured;
import io.coppice.bench.engine.StoreSpec;
import io.coppice.bench.engine.Trial;
import io.coppice.workload.Keys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The loads of the suites. */
final class PeerTrials {

  /** The loads of db_bench, on data that fit the page cache. */
  static final String MAIN = "main";

  /** Keys in order, and lookups: a bar near 1 wants many pairs, so these are of fewer entries. */
  static final String ORDERED = "ordered";

  static final String PAIRS = "pairs";

  /** Each store that is a tree or in Java, and the same with fewer writes where one is slow. */
  static final String TREES = "trees";

  static final String SLOW_TREES = "slow-trees";

  /** What commits each write; what syncs each write. */
  static final String COMMITS = "commits";

  static final String SYNCED = "synced";

  /** The same by batches of a thousand, whatever a store promises for a single write. */
  static final String BATCHES = "batches";

  /**
   * Unique keys and small memtables, at full speed, and paced: writes wait for merges. What is
   * timed at full speed writes a part of the keys only.
   */
  static final String INSERTS = "inserts";

  static final String PACED = "paced";

  /** The same with larger memtables and tables of half of one, as in the paper. */
  static final String DELAYS = "delays";

  /** All of the keys at full speed, where what is counted goes by how far merges lag. */
  static final String INSERTS_ONCE = "inserts-once";

  static final String UPDATES_ONCE = "updates-once";

  /** Keys drawn again and again, paced. */
  static final String UPDATES = "updates";

  /** Writes that begin when they are to begin. */
  static final String OPEN_LOOP = "open-loop";

  /** Tables that one merge makes one run of. */
  static final String MERGE = "merge";

  /** Write bytes a second beside readers, the same for all. */
  private static final long WRITER_BYTES = 2_000_000;

  private static final double OPEN_LOOP_SHARE = 0.9;

  /** Of the rate at full speed what is left where writes and merges take turns. */
  private static final double PACED_SHARE = 0.5;

  private static final int VALUE_BYTES = 100;

  /** Where memtables are large enough; else half of one. */
  private static final long TABLE_BYTES = 4L << 20;

  private static final long TREE_MEMTABLE = 8L << 20;
  private static final int MERGE_RUNS = 12;

  /** Of the unique keys, so that three rounds do not take half of all the time. */
  private static final double TIMED_SHARE = 0.75;

  /** Of the entries beside RocksDB, as a part: what is merged at once takes seconds. */
  private static final int MERGED_PART = 5;

  /** Likewise, with a memtable that is smaller by as much, so that there are as many flushes. */
  private static final int PAIRED_PART = 14;

  /** Keys in order are written so fast that fewer would be the start of a process. */
  private static final int ORDERED_PART = 10;

  /** Least pairs from which a bar near 1 is judged. */
  private static final int LEAST_PAIRS = 10;

  /** Likewise: writes that come at their own time take longer than others. */
  private static final int OPEN_LOOP_PART = 2;

  private final PeerScale scale;
  private final int rounds;
  private final long seed;
  private final List<Trial> trials = new ArrayList<>();

  private PeerTrials(PeerScale scale, int rounds, long seed) {
    this.scale = scale;
    this.rounds = rounds;
    this.seed = seed;
  }

  /** Writes in rows of ten pairs. */
  static int pairedEntries(PeerScale scale) {
    return scale.entries() / PAIRED_PART;
  }

  /** Writes of keys in order. */
  static int orderedEntries(PeerScale scale) {
    return scale.entries() / ORDERED_PART;
  }

  /** Unique keys where the rates of policies are compared. */
  static int timedEntries(PeerScale scale) {
    double share = scale.isFull() ? 1 : TIMED_SHARE;
    return (int) (share * scale.smallEntries());
  }

  /** What a load that is named by itself needs to have been measured before. */
  static Optional<String> before(String id) {
    return id.startsWith(OPEN_LOOP) ? Optional.of(MAIN) : Optional.empty();
  }

  static List<Trial> of(PeerScale scale, int rounds, long seed) {
    PeerTrials all = new PeerTrials(scale, rounds, seed);
    all.main();
    all.javaPeers();
    all.policies();
    all.single();
    return List.copyOf(all.trials);
  }

  private BenchOptions options(int entries, long memtable, String benchmarks, String... more) {
    Map<String, String> given = new HashMap<>();
    given.put("benchmarks", benchmarks);
    given.put("num", Integer.toString(entries));
    given.put("memtable_size", Long.toString(memtable));
    given.put("value_size", Integer.toString(VALUE_BYTES));
    given.put("seed", Long.toString(seed));
    given.put("duration", Double.toString(scale.readSeconds()));
    given.put("table_size", Long.toString(Math.min(TABLE_BYTES, memtable / 2)));
    for (int i = 0; i < more.length; i += 2) {
      given.put(more[i], more[i + 1]);
    }
    return BenchOptions.parse(given, List.of());
  }

  private void add(String id, List<StoreSpec> stores, int times, BenchOptions options) {
    trials.add(Trial.of(id, stores, times, options, seconds(stores, options)));
  }

  /** Of one store, on the average. */
  private static double seconds(List<StoreSpec> stores, BenchOptions options) {
    return stores.stream().mapToDouble(store -> Estimate.seconds(store, options)).sum()
        / stores.size();
  }

  private void main() {
    add(
        MAIN,
        List.of(FOREST, ROCKSDB, UNIVERSAL),
        rounds,
        options(
            scale.entries(),
            scale.memtableBytes(),
            "fillrandom,readrandom,readmissing,seekrandom"));
    add(ORDERED, List.of(FOREST, ROCKSDB), pairs(), paired(ORDERED_PART, "fillseq"));
    add(
        PAIRS,
        List.of(FOREST, ROCKSDB),
        pairs(),
        paired(
            PAIRED_PART,
            "fillrandom,readrandom,readwhilewriting",
            "writer_rate_limit",
            Long.toString(WRITER_BYTES)));
  }

  private BenchOptions paired(int part, String benchmarks, String... more) {
    return options(
        scale.entries() / part,
        Math.max(64L << 10, scale.memtableBytes() / part),
        benchmarks,
        more);
  }

  private int pairs() {
    return scale.isQuoted() ? Math.max(LEAST_PAIRS, rounds) : rounds;
  }

  private void javaPeers() {
    add(
        TREES,
        List.of(FOREST, LMDB, LEVELDB),
        1,
        options(scale.treeEntries(), TREE_MEMTABLE, "fillrandom,readrandom"));
    add(
        SLOW_TREES,
        List.of(FOREST, XODUS),
        1,
        options(scale.javaEntries(), TREE_MEMTABLE, "fillrandom,readrandom"));
    add(
        COMMITS,
        List.of(FOREST, MVSTORE),
        1,
        options(scale.committedEntries(), TREE_MEMTABLE, "fillrandom,readrandom"));
    add(
        SYNCED,
        List.of(FOREST, MAPDB),
        1,
        options(scale.syncedEntries(), TREE_MEMTABLE, "fillrandom,readrandom", "sync", "1"));
    List<StoreSpec> all = new ArrayList<>(List.of(FOREST));
    all.addAll(Stores.TREES);
    all.addAll(List.of(MVSTORE, MAPDB));
    add(BATCHES, all, 1, options(scale.javaEntries() / 2, TREE_MEMTABLE, "fillbatch"));
  }

  /** Tables are as large as a memtable. */
  private String[] small(String... more) {
    List<String> all =
        new ArrayList<>(List.of("table_size", Long.toString(scale.smallMemtableBytes())));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private void policies() {
    String unique = "filluniquerandom";
    add(
        INSERTS,
        List.of(LEVELED, GROUPED),
        rounds,
        options(timedEntries(scale), scale.smallMemtableBytes(), unique, small()));
    add(
        DELAYS,
        List.of(LEVELED, DELAYED),
        rounds,
        options(scale.delayedEntries(), scale.delayedMemtableBytes(), unique));
    add(
        INSERTS_ONCE,
        List.of(FOREST, FOREST_UNCLEANED, ROCKSDB, UNIVERSAL),
        pacedRounds(),
        options(scale.smallEntries(), scale.smallMemtableBytes(), unique, small()));
    BenchOptions paced =
        options(scale.smallEntries(), scale.smallMemtableBytes(), unique, small("rests", "1"));
    paced(PACED, List.of(LEVELED, FOREST, ROCKSDB), pacedRounds(), paced);
    BenchOptions updates =
        options(
            scale.updatedKeys(),
            scale.smallMemtableBytes(),
            "fillrandom,overwrite,overwrite,overwrite",
            small("rests", "1"));
    paced(UPDATES, List.of(LEVELED, LAZY), pacedRounds(), updates);
    paced(UPDATES_ONCE, List.of(UNIVERSAL), 1, updates);
  }

  /** Writes wait for merges, so that these take as long as they do plus what writes take. */
  private void paced(String id, List<StoreSpec> stores, int times, BenchOptions options) {
    double seconds = seconds(stores, options) / PACED_SHARE;
    trials.add(Trial.of(id, stores, times, options, seconds));
  }

  /** They last as long as the slowest store needs, and what they count hardly varies. */
  private int pacedRounds() {
    return scale.isFull() ? rounds : 1;
  }

  private void single() {
    int writes = scale.entries() / OPEN_LOOP_PART;
    for (StoreSpec store : List.of(FOREST, ROCKSDB)) {
      BenchOptions plain = options(writes, scale.memtableBytes(), "fillrandom");
      later(
          OPEN_LOOP + "-" + store.label(),
          List.of(store),
          store.isOurs() ? rounds : 1,
          plain,
          measured ->
              options(
                  writes,
                  scale.memtableBytes(),
                  "writeopenloop",
                  "benchmark_write_rate_limit",
                  Long.toString(openLoop(measured, store))),
          Estimate.seconds(store, plain) / OPEN_LOOP_SHARE);
    }
    int merged = scale.entries() / MERGED_PART;
    add(
        MERGE,
        List.of(StoreSpec.ours("tiered,trigger=64")),
        rounds,
        options(
            merged,
            Math.max(64L << 10, merged * (long) (Keys.BYTES + VALUE_BYTES) / MERGE_RUNS),
            "filluniquerandom,compact"));
  }

  private void later(
      String id,
      List<StoreSpec> stores,
      int times,
      BenchOptions room,
      Function<Measured, BenchOptions> options,
      double seconds) {
    trials.add(new Trial(id, stores, times, room, options, seconds));
  }

  private static long openLoop(Measured measured, StoreSpec store) {
    CellResult own = measured.cells(MAIN, store, Benchmark.FILLRANDOM).get(0);
    return bytes(OPEN_LOOP_SHARE * own.settledRate());
  }

  private static long bytes(double perSecond) {
    return Math.max(1, Math.round(perSecond * (Keys.BYTES + VALUE_BYTES)));
  }
}
