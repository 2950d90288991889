// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.Nearest;
import io.coppice.bench.suite.Sizes;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.PolicySpecException;
import io.coppice.workload.Keys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a run measures. All stores get the same sizes, threads and memory.
 *
 * @param benchmarks in this order, on each store
 * @param entries writes of a fill, and the number of different keys
 * @param reads lookups or seeks of a read
 * @param valueBytes bytes of each value; a key has {@value Keys#BYTES}
 * @param memtableBytes size of one memtable
 * @param memoryBytes for three memtables, and what is left for filters, indexes and block cache
 * @param mergeThreads threads that merge; one more flushes
 * @param stores the first is what others are compared with
 * @param rounds how often each store is measured
 * @param seed decides keys and values
 * @param name of the report file
 * @param progress bar, plain or auto
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
    Form form,
    Traffic traffic,
    int rounds,
    long seed,
    String name,
    String progress) {

  /** The options, each with its default as text; null where it follows from others. */
  private static final Map<String, String> DEFAULTS =
      ordered(
          "benchmarks", "fillrandom,readrandom",
          "num", "1000000",
          "reads", null,
          "value_size", "100",
          "memtable_size", "64MiB",
          "table_size", "0B",
          "memory", null,
          "merge_threads", "1",
          "policy", "split-forest",
          "peer", "rocksdb",
          "stores", null,
          "threads", "1",
          "benchmark_write_rate_limit", "0",
          "writer_rate_limit", "0",
          "duration", "0",
          "seek_nexts", "10",
          "readwritepercent", "90",
          "zipf", "0",
          "compression_type", "none",
          "sync", "0",
          "profile", "modern",
          "bloom_bits", "10",
          "merge_rate", "0",
          "later_policy", "",
          "rests", "0",
          "timeline", "0",
          "rounds", "3",
          "seed", "42",
          "name", "engine",
          "progress", "auto");

  /** Memtables of each store: one being written, two being flushed. */
  static final int MEMTABLES = 3;

  /** Of each a process notes its last write, which takes half of its heap of a gibibyte. */
  private static final long MOST_KEYS = 1L << 27;

  private static final long MOST_READS = 1_000_000_000;
  private static final int LEAST_FILTER_BITS = 6;
  private static final long MIN_CACHE_BYTES = 64L << 20;
  private static final long LEAST_MEMTABLE_BYTES = 64L << 10;
  private static final long SCRATCH_MEMTABLE_BYTES = 4L << 20;
  private static final int SCRATCH_FLUSHES = 200;
  private static final double MOST_SECONDS = 86_400;

  private static final List<StoreSpec.Kind> HAVE_LZ4 =
      List.of(StoreSpec.Kind.COPPICE, StoreSpec.Kind.ROCKSDB, StoreSpec.Kind.ROCKSDB_UNIVERSAL);

  private static Map<String, String> ordered(String... pairs) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put(pairs[i], pairs[i + 1]);
    }
    return map;
  }

  /** Options of {@code bench} that this does not read, as they choose or are of a suite. */
  private static final List<String> OF_SUITES =
      List.of(
          "suite", "paper", "scale", "seconds", "rows", "keep", "record", "only", "resume",
          "cgroup");

  /** What a process is told and nobody types. */
  private static final List<String> INTERNAL = List.of("timeline");

  /** The names of all options that can be typed, without their dashes. */
  static List<String> names() {
    List<String> names = new ArrayList<>(DEFAULTS.keySet());
    names.removeAll(INTERNAL);
    names.addAll(OF_SUITES);
    return names;
  }

  /**
   * Reads options by name, without their dashes.
   *
   * @param unknown what was given besides, as typed
   * @throws InvalidOptionsException naming every fault
   */
  public static BenchOptions parse(Map<String, String> given, List<String> unknown) {
    return new Parser(given, unknown).parse();
  }

  /** Arguments that read back as equal options. */
  public List<String> arguments() {
    return List.of(
        "--benchmarks="
            + benchmarks.stream().map(Benchmark::label).collect(Collectors.joining(",")),
        "--num=" + entries,
        "--reads=" + reads,
        "--value_size=" + valueBytes,
        "--memtable_size=" + memtableBytes,
        "--table_size=" + form.tableBytes(),
        "--memory=" + memoryBytes,
        "--merge_threads=" + mergeThreads,
        "--policy=" + policyOfCoppice(),
        "--stores=" + stores.stream().map(StoreSpec::label).collect(Collectors.joining(",")),
        "--threads=" + traffic.threads(),
        "--benchmark_write_rate_limit=" + traffic.writeBytesPerSecond(),
        "--writer_rate_limit=" + traffic.writerBytesPerSecond(),
        "--duration=" + traffic.readSeconds(),
        "--seek_nexts=" + traffic.seekNexts(),
        "--readwritepercent=" + traffic.readPercent(),
        "--zipf=" + traffic.zipf(),
        "--compression_type=" + form.compression(),
        "--sync=" + (form.sync() ? "1" : "0"),
        "--profile=" + (form.paper() ? "paper" : "modern"),
        "--bloom_bits=" + form.filterBits(),
        "--merge_rate=" + form.mergeBytesPerSecond(),
        "--later_policy=" + form.laterPolicy(),
        "--rests=" + (traffic.rests() ? "1" : "0"),
        "--timeline=" + (traffic.timeline() ? "1" : "0"),
        "--rounds=" + rounds,
        "--seed=" + seed,
        "--name=" + name,
        "--progress=" + progress);
  }

  /** Which is what the plain name {@code coppice} stands for. */
  private String policyOfCoppice() {
    return stores.stream()
        .filter(store -> store.label().equals(StoreSpec.Kind.COPPICE.label()))
        .map(StoreSpec::policy)
        .findFirst()
        .orElse(DEFAULTS.get("policy"));
  }

  /** Reads {@link #arguments} back. */
  static BenchOptions ofArguments(List<String> arguments) {
    Map<String, String> given = new HashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      given.put(argument.substring(2, equals), argument.substring(equals + 1));
    }
    return parse(given, List.of());
  }

  /**
   * The same with so many entries and reads at most, unlimited, and with memtables and tables so
   * small that there are about as many flushes, up to {@link #SCRATCH_FLUSHES}: what a store does
   * only with a deep tree is to be compiled, too. Tables of each store's own size stay as they are.
   */
  BenchOptions scratch(int most) {
    int fewer = Math.min(most, entries);
    double flushes = Math.min(SCRATCH_FLUSHES, (double) dataBytes() / memtableBytes);
    long memtable = (long) ((double) dataBytes() / entries * fewer / Math.max(1, flushes));
    memtable = Math.max(LEAST_MEMTABLE_BYTES, Math.min(memtable, SCRATCH_MEMTABLE_BYTES));
    memtable = Math.min(memtable, memtableBytes);
    return new BenchOptions(
        benchmarks,
        fewer,
        Math.min(most, reads),
        valueBytes,
        memtable,
        memoryBytes,
        mergeThreads,
        stores,
        form.scaled((double) memtable / memtableBytes),
        new Traffic(
            traffic.threads(),
            0,
            0,
            0,
            traffic.seekNexts(),
            traffic.readPercent(),
            traffic.zipf(),
            false,
            false),
        rounds,
        seed,
        name,
        progress);
  }

  /** The same with other stores. */
  public BenchOptions with(List<StoreSpec> others) {
    return new BenchOptions(
        benchmarks,
        entries,
        reads,
        valueBytes,
        memtableBytes,
        memoryBytes,
        mergeThreads,
        others,
        form,
        traffic,
        rounds,
        seed,
        name,
        progress);
  }

  /** The same with each write synced. */
  BenchOptions synced() {
    return new BenchOptions(
        benchmarks,
        entries,
        reads,
        valueBytes,
        memtableBytes,
        memoryBytes,
        mergeThreads,
        stores,
        form.synced(),
        traffic,
        rounds,
        seed,
        name,
        progress);
  }

  /** What the store may hold beside its memtables. */
  long cacheBytes() {
    return memoryBytes - MEMTABLES * memtableBytes;
  }

  /** Bytes of all keys, each once, with their values. */
  public long dataBytes() {
    return (long) entries * (Keys.BYTES + valueBytes);
  }

  private static final class Parser {
    private final Map<String, String> given;
    private final List<String> errors = new ArrayList<>();

    Parser(Map<String, String> given, List<String> unknown) {
      this.given = given;
      for (String argument : unknown) {
        String bare = argument.replaceFirst("^--?", "").replaceFirst("=.*", "");
        errors.add("unknown option " + argument + "; nearest is --" + Nearest.to(bare, names()));
      }
    }

    BenchOptions parse() {
      List<Benchmark> benchmarks = benchmarks();
      long entries = number("num", 1, MOST_KEYS);
      long reads = given.containsKey("reads") ? number("reads", 1, MOST_READS) : entries;
      long valueBytes = number("value_size", 16, 1 << 20);
      long memtable = size("memtable_size", LEAST_MEMTABLE_BYTES, 2L << 30);
      long least = MEMTABLES * memtable + MIN_CACHE_BYTES;
      long memory = given.containsKey("memory") ? size("memory", least, 1L << 40) : least;
      long mergeThreads = number("merge_threads", 1, 16);
      List<StoreSpec> stores = stores();
      Form form = form();
      if (form.tableBytes() > 0 && stores.stream().anyMatch(StoreSpec::isOurs)) {
        checkPolicy("table_size", "leveled,table_size=" + form.tableBytes());
      }
      Traffic traffic = traffic();
      if (form.compression().equals("lz4")) {
        stores.stream()
            .filter(store -> !HAVE_LZ4.contains(store.kind()))
            .forEach(store -> errors.add(store.label() + " has no --compression_type=lz4"));
      }
      for (StoreSpec store : stores) {
        benchmarks.stream()
            .distinct()
            .filter(benchmark -> !store.has(benchmark))
            .forEach(benchmark -> errors.add(store.label() + " cannot do " + benchmark.label()));
      }
      if (benchmarks.contains(Benchmark.SWITCHPOLICY) && form.laterPolicy().isEmpty()) {
        errors.add("switchpolicy needs --later_policy");
      }
      if (benchmarks.contains(Benchmark.WRITEOPENLOOP) && traffic.writeBytesPerSecond() == 0) {
        errors.add("writeopenloop needs --benchmark_write_rate_limit");
      }
      long rounds = number("rounds", 1, 99);
      long seed = number("seed", Long.MIN_VALUE, Long.MAX_VALUE);
      String name = text("name");
      if (!name.matches("[A-Za-z0-9._-]{1,80}")) {
        errors.add("--name (" + name + ") must be letters, digits, dots and dashes");
      }
      String progress = oneOf("progress", List.of("auto", "bar", "plain"));
      if (!errors.isEmpty()) {
        throw new InvalidOptionsException(errors);
      }
      return new BenchOptions(
          benchmarks,
          (int) entries,
          reads,
          (int) valueBytes,
          memtable,
          memory,
          (int) mergeThreads,
          stores,
          form,
          traffic,
          (int) rounds,
          seed,
          name,
          progress);
    }

    private Form form() {
      long tables = size("table_size", 0, 2L << 30);
      String compression = oneOf("compression_type", List.of("none", "lz4"));
      String later = text("later_policy");
      checkPolicy("later_policy", later.isEmpty() ? "split-forest" : later);
      return new Form(
          tables,
          compression,
          flag("sync"),
          isPaper(),
          filterBits(),
          number("merge_rate", 0, 1L << 40),
          later);
    }

    private int filterBits() {
      int bits = (int) number("bloom_bits", 0, 20);
      if (bits > 0 && bits < LEAST_FILTER_BITS) {
        errors.add("--bloom_bits (" + bits + ") must be 0 or in " + LEAST_FILTER_BITS + "..20");
      }
      return bits;
    }

    private boolean isPaper() {
      return oneOf("profile", List.of("modern", "paper")).equals("paper");
    }

    private Traffic traffic() {
      return new Traffic(
          (int) number("threads", 1, 64),
          number("benchmark_write_rate_limit", 0, 1L << 40),
          number("writer_rate_limit", 0, 1L << 40),
          decimal("duration", MOST_SECONDS),
          (int) number("seek_nexts", 0, 1_000_000),
          (int) number("readwritepercent", 0, 100),
          decimal("zipf", 2),
          flag("rests"),
          flag("timeline"));
    }

    private boolean flag(String option) {
      return oneOf(option, List.of("0", "1")).equals("1");
    }

    private double decimal(String option, double max) {
      try {
        double value = Double.parseDouble(text(option));
        if (value >= 0 && value <= max) {
          return value;
        }
      } catch (NumberFormatException e) {
        errors.add("--" + option + " (" + text(option) + ") must be a number");
        return 0;
      }
      errors.add("--" + option + " (" + text(option) + ") must be from 0 to " + max);
      return 0;
    }

    private String text(String option) {
      return given.getOrDefault(option, DEFAULTS.get(option));
    }

    private List<Benchmark> benchmarks() {
      List<Benchmark> benchmarks = new ArrayList<>();
      for (String label : text("benchmarks").split(",", -1)) {
        Benchmark.find(label)
            .ifPresentOrElse(
                benchmarks::add,
                () ->
                    errors.add(
                        "unknown benchmark "
                            + label
                            + "; nearest is "
                            + Nearest.to(label, Benchmark.labels())
                            + " of "
                            + String.join(", ", Benchmark.labels())));
      }
      if (!benchmarks.isEmpty() && !benchmarks.get(0).fills()) {
        errors.add(
            "--benchmarks must begin with a fill, but begins with " + benchmarks.get(0).label());
      }
      return List.copyOf(benchmarks);
    }

    private List<StoreSpec> stores() {
      String policy = policy();
      boolean peer = oneOf("peer", List.of("rocksdb", "none")).equals("rocksdb");
      String labels = given.get("stores");
      if (labels == null) {
        StoreSpec ours = new StoreSpec("coppice", StoreSpec.Kind.COPPICE, policy);
        return peer ? List.of(ours, StoreSpec.peer(StoreSpec.Kind.ROCKSDB)) : List.of(ours);
      }
      if (given.containsKey("peer")) {
        errors.add("--peer and --stores say the same; give one of them");
      }
      List<StoreSpec> stores =
          Arrays.stream(labels.split(",", -1))
              .map(label -> StoreSpec.parse(label, policy, errors))
              .toList();
      if (stores.stream().map(StoreSpec::label).distinct().count() < stores.size()) {
        errors.add("--stores (" + labels + ") names a store twice");
      }
      return stores;
    }

    private String policy() {
      String policy = text("policy");
      checkPolicy("policy", policy);
      return policy;
    }

    private void checkPolicy(String option, String policy) {
      try {
        PolicySpec.parse(policy);
      } catch (PolicySpecException e) {
        e.errors().forEach(error -> errors.add("--" + option + ": " + error));
      }
    }

    private String oneOf(String option, List<String> allowed) {
      String value = text(option);
      if (!allowed.contains(value)) {
        errors.add("--" + option + " (" + value + ") must be " + String.join(" or ", allowed));
      }
      return value;
    }

    private long number(String option, long min, long max) {
      try {
        return inRange(option, text(option), Long.parseLong(text(option)), min, max);
      } catch (NumberFormatException e) {
        errors.add("--" + option + " (" + text(option) + ") must be a whole number");
        return min;
      }
    }

    private long size(String option, long min, long max) {
      return Sizes.parse("--" + option, text(option), min, max, errors);
    }

    private long inRange(String option, String text, long value, long min, long max) {
      if (value < min || value > max) {
        errors.add("--" + option + " (" + text + ") must be in " + min + ".." + max);
        return min;
      }
      return value;
    }
  }
}
