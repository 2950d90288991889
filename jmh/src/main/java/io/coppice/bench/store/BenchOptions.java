// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.report.Records;
import io.coppice.bench.suite.CommandTable;
import io.coppice.bench.suite.OptionReader;
import io.coppice.policy.spec.NameSuggestion;
import io.coppice.workload.BenchmarkKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Options of a run. All stores get the same sizes, threads and memory.
 *
 * @param benchmarks in this order, on each store
 * @param entries writes of a fill, and the number of different keys
 * @param reads lookups or seeks of a read
 * @param valueBytes length of each value in bytes; a key has {@value BenchmarkKeys#BYTES}
 * @param memtableBytes size of one memtable
 * @param memoryBytes memory of a store: three memtables, and the rest for filters, indexes and
 *     block cache
 * @param mergeThreads number of threads that merge; one more thread flushes
 * @param stores stores to measure; the report compares the first with each of the others
 * @param rounds how often each store is measured
 * @param seed seed of keys and values
 * @param name name of the report file
 * @param progress {@code bar}, {@code plain} or {@code auto}
 */
public record BenchOptions(
    List<Benchmark> benchmarks,
    int entries,
    long reads,
    int valueBytes,
    long memtableBytes,
    long memoryBytes,
    int mergeThreads,
    List<StoreSpec> stores,
    StorageSettings form,
    Traffic traffic,
    int rounds,
    long seed,
    String name,
    String progress) {

  /**
   * Number of memtables that fit each store's memory: one that is written and two that are flushed.
   */
  public static final int MEMTABLES = 3;

  /**
   * Maximum number of keys. A process keeps the number of the last write of each key, which takes
   * half of its heap of 1 GiB.
   */
  private static final long MAX_KEYS = 1L << 27;

  private static final long MAX_READS = 1_000_000_000;
  private static final int MIN_FILTER_BITS = 6;
  private static final long MIN_CACHE_BYTES = 64L << 20;
  private static final long MIN_MEMTABLE_BYTES = 64L << 10;
  private static final long SCRATCH_MEMTABLE_BYTES = 4L << 20;
  private static final int SCRATCH_FLUSHES = 200;
  private static final double MAX_SECONDS = 86_400;

  private static final List<StoreSpec.Kind> HAVE_LZ4 =
      List.of(StoreSpec.Kind.COPPICE, StoreSpec.Kind.ROCKSDB, StoreSpec.Kind.ROCKSDB_UNIVERSAL);

  /** Reads options as {@link #parse(Map, List)} does, without unknown arguments. */
  public static BenchOptions parse(Map<String, String> given) {
    return parse(given, List.of());
  }

  /**
   * Reads options by name, without their dashes; missing ones have their defaults.
   *
   * @param given option values by name
   * @param unknown arguments that are no option, as typed
   * @throws InvalidOptionsException naming every fault
   */
  public static BenchOptions parse(Map<String, String> given, List<String> unknown) {
    return new Parser(new OptionReader(given).unknown(unknown, CommandTable.names("bench")))
        .parse();
  }

  /**
   * Returns the options of a warm-up: these, with at most {@code most} entries and reads, and
   * without rate limits. Memtables and tables shrink, so that it has about as many flushes, up to
   * about {@link #SCRATCH_FLUSHES}, and the JIT compiler also sees the code for deep trees. A table
   * size of 0, each store's own, stays 0.
   */
  public BenchOptions scratch(int most) {
    int fewer = Math.min(most, entries);
    double flushes = Math.min(SCRATCH_FLUSHES, (double) dataBytes() / memtableBytes);
    long memtable = (long) ((double) dataBytes() / entries * fewer / Math.max(1, flushes));
    memtable = Math.max(MIN_MEMTABLE_BYTES, Math.min(memtable, SCRATCH_MEMTABLE_BYTES));
    memtable = Math.min(memtable, memtableBytes);
    return Records.with(
        this,
        "entries reads memtableBytes form traffic",
        fewer,
        Math.min(most, reads),
        memtable,
        form.scaled((double) memtable / memtableBytes),
        traffic.unpaced());
  }

  /** Returns the same options with other stores. */
  public BenchOptions with(List<StoreSpec> others) {
    return Records.with(this, "stores", others);
  }

  /** Returns the same options with each write synced. */
  public BenchOptions synced() {
    return Records.with(this, "form", Records.with(form, "sync", true));
  }

  /** Returns the store's memory in addition to its memtables. */
  long cacheBytes() {
    return memoryBytes - MEMTABLES * memtableBytes;
  }

  /** Returns the bytes of all keys with their values, each counted once. */
  public long dataBytes() {
    return (long) entries * (BenchmarkKeys.BYTES + valueBytes);
  }

  private record Parser(OptionReader reader) {

    BenchOptions parse() {
      List<Benchmark> benchmarks = benchmarks();
      long entries = reader.number("num", 1_000_000, 1, MAX_KEYS);
      long memtable = reader.size("memtable-size", "64MiB", MIN_MEMTABLE_BYTES, 2L << 30);
      long least = MEMTABLES * memtable + MIN_CACHE_BYTES;
      BenchOptions options =
          new BenchOptions(
              benchmarks,
              (int) entries,
              reader.number("reads", entries, 1, MAX_READS),
              (int) reader.number("value-size", 100, 16, 1 << 20),
              memtable,
              reader.size("memory", least + "B", least, 1L << 40),
              (int) reader.number("merge-threads", 1, 1, 16),
              stores(),
              form(),
              traffic(),
              (int) reader.number("rounds", 3, 1, 99),
              reader.seed(),
              reader.text("name", "engine"),
              reader.progress());
      check(options);
      reader.check();
      return options;
    }

    private void check(BenchOptions options) {
      StorageSettings form = options.form;
      if (form.tableBytes() > 0 && options.stores.stream().anyMatch(StoreSpec::isOurs)) {
        reader.policy("table-size", "leveled,table_size=" + form.tableBytes());
      }
      for (StoreSpec store : options.stores) {
        if (form.compression().equals("lz4") && !HAVE_LZ4.contains(store.kind())) {
          reader.fault("%s has no --compression-type=lz4", store.label());
        }
        options.benchmarks.stream()
            .distinct()
            .filter(benchmark -> !store.has(benchmark))
            .forEach(
                benchmark -> reader.fault("%s cannot do %s", store.label(), benchmark.label()));
      }
      if (options.benchmarks.contains(Benchmark.SWITCHPOLICY) && form.laterPolicy().isEmpty()) {
        reader.fault("switchpolicy needs --later-policy");
      }
      if (options.benchmarks.contains(Benchmark.WRITEOPENLOOP)
          && options.traffic.writeBytesPerSecond() == 0) {
        reader.fault("writeopenloop needs --benchmark-write-rate-limit");
      }
      if (!options.name.matches("[A-Za-z0-9._-]{1,80}")) {
        reader.fault("--name (%s) must be letters, digits, dots and dashes", options.name);
      }
    }

    private StorageSettings form() {
      String later = reader.text("later-policy", "");
      reader.policy("later-policy", later.isEmpty() ? "split-forest" : later);
      int bits = (int) reader.number("bloom-bits", 10, 0, 20);
      if (bits > 0 && bits < MIN_FILTER_BITS) {
        reader.fault("--bloom-bits (%d) must be 0 or in %d..20", bits, MIN_FILTER_BITS);
      }
      return new StorageSettings(
          reader.size("table-size", "0B", 0, 2L << 30),
          reader.oneOf("compression-type", "none", "lz4"),
          reader.oneOf("sync", "0", "1").equals("1"),
          reader.oneOf("profile", "modern", "paper").equals("paper"),
          bits,
          reader.number("merge-rate", 0, 0, 1L << 40),
          later);
    }

    private Traffic traffic() {
      return new Traffic(
          (int) reader.number("threads", 1, 1, 64),
          reader.number("benchmark-write-rate-limit", 0, 0, 1L << 40),
          reader.number("writer-rate-limit", 0, 0, 1L << 40),
          reader.decimal("duration", 0, MAX_SECONDS),
          (int) reader.number("seek-nexts", 10, 0, 1_000_000),
          (int) reader.number("readwritepercent", 90, 0, 100),
          (int) reader.number("deletepercent", 90, 0, 100),
          reader.decimal("zipf", 0, 2),
          reader.oneOf("rests", "0", "1").equals("1"),
          reader.oneOf("timeline", "0", "1").equals("1"));
    }

    private List<Benchmark> benchmarks() {
      List<Benchmark> benchmarks = new ArrayList<>();
      for (String label : reader.list("benchmarks", "fillrandom,readrandom")) {
        Benchmark.find(label)
            .ifPresentOrElse(
                benchmarks::add,
                () ->
                    reader.fault(
                        "unknown benchmark %s; nearest is %s of %s",
                        label,
                        NameSuggestion.to(label, Benchmark.labels()),
                        String.join(", ", Benchmark.labels())));
      }
      if (!benchmarks.isEmpty() && !benchmarks.get(0).fills()) {
        reader.fault(
            "--benchmarks must begin with a fill, but begins with %s", benchmarks.get(0).label());
      }
      return List.copyOf(benchmarks);
    }

    private List<StoreSpec> stores() {
      String policy = reader.text("policy", "split-forest");
      reader.policy("policy", policy);
      boolean peer = reader.oneOf("peer", "rocksdb", "none").equals("rocksdb");
      if (!reader.has("stores")) {
        StoreSpec ours = new StoreSpec("coppice", StoreSpec.Kind.COPPICE, policy);
        return peer ? List.of(ours, StoreSpec.peer(StoreSpec.Kind.ROCKSDB)) : List.of(ours);
      }
      if (reader.has("peer")) {
        reader.fault("--peer and --stores say the same; give one of them");
      }
      List<StoreSpec> stores =
          reader.list("stores", "").stream()
              .map(label -> StoreSpec.parse(label, policy, reader.faults()))
              .toList();
      if (stores.stream().map(StoreSpec::label).distinct().count() < stores.size()) {
        reader.fault("--stores (%s) names a store twice", reader.text("stores", ""));
      }
      return stores;
    }
  }
}
