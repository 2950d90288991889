// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.Nearest;
import io.coppice.bench.suite.Sizes;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.PolicySpecException;
import io.coppice.workload.Keys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a run measures. Both stores get the same sizes, threads and memory.
 *
 * @param benchmarks in this order, on each store
 * @param entries writes of a fill, and the number of different keys
 * @param reads lookups or seeks of a read
 * @param valueBytes bytes of each value; a key has {@value Keys#BYTES}
 * @param memtableBytes size of one memtable
 * @param memoryBytes for three memtables, and what is left for filters, indexes and block cache
 * @param mergeThreads threads that merge; one more flushes
 * @param policy ours, as text
 * @param peer whether RocksDB runs too
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
    String policy,
    boolean peer,
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
          "memory", null,
          "merge_threads", "1",
          "policy", "split-forest",
          "peer", "rocksdb",
          "rounds", "3",
          "seed", "42",
          "name", "engine",
          "progress", "auto");

  /** Memtables of each store: one being written, two being flushed. */
  static final int MEMTABLES = 3;

  private static final long MAX_ENTRIES = 1_000_000_000;
  private static final long MIN_CACHE_BYTES = 64L << 20;
  private static final long SCRATCH_MEMTABLE_BYTES = 4L << 20;

  private static Map<String, String> ordered(String... pairs) {
    Map<String, String> map = new java.util.LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put(pairs[i], pairs[i + 1]);
    }
    return map;
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
  List<String> arguments() {
    return List.of(
        "--benchmarks=" + String.join(",", benchmarks.stream().map(Benchmark::label).toList()),
        "--num=" + entries,
        "--reads=" + reads,
        "--value_size=" + valueBytes,
        "--memtable_size=" + memtableBytes,
        "--memory=" + memoryBytes,
        "--merge_threads=" + mergeThreads,
        "--policy=" + policy,
        "--peer=" + (peer ? "rocksdb" : "none"),
        "--rounds=" + rounds,
        "--seed=" + seed,
        "--name=" + name,
        "--progress=" + progress);
  }

  /** Reads {@link #arguments} back. */
  static BenchOptions ofArguments(List<String> arguments) {
    Map<String, String> given = new java.util.HashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      given.put(argument.substring(2, equals), argument.substring(equals + 1));
    }
    return parse(given, List.of());
  }

  /** The same with so many entries and reads at most, and memtables small enough to be merged. */
  BenchOptions scratch(int most) {
    return new BenchOptions(
        benchmarks,
        Math.min(most, entries),
        Math.min(most, reads),
        valueBytes,
        Math.min(SCRATCH_MEMTABLE_BYTES, memtableBytes),
        memoryBytes,
        mergeThreads,
        policy,
        peer,
        rounds,
        seed,
        name,
        progress);
  }

  /** What the store may hold beside its memtables. */
  long cacheBytes() {
    return memoryBytes - MEMTABLES * memtableBytes;
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

    private static List<String> names() {
      return List.copyOf(DEFAULTS.keySet());
    }

    BenchOptions parse() {
      List<Benchmark> benchmarks = benchmarks();
      long entries = number("num", 1, MAX_ENTRIES);
      long reads = given.containsKey("reads") ? number("reads", 1, MAX_ENTRIES) : entries;
      long valueBytes = number("value_size", 16, 1 << 20);
      long memtable = size("memtable_size", 1L << 20, 2L << 30);
      long least = MEMTABLES * memtable + MIN_CACHE_BYTES;
      long memory = given.containsKey("memory") ? size("memory", least, 1L << 40) : least;
      long mergeThreads = number("merge_threads", 1, 16);
      String policy = policy();
      boolean peer = oneOf("peer", List.of("rocksdb", "none")).equals("rocksdb");
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
          policy,
          peer,
          (int) rounds,
          seed,
          name,
          progress);
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

    private String policy() {
      String policy = text("policy");
      try {
        PolicySpec.parse(policy);
      } catch (PolicySpecException e) {
        e.errors().forEach(error -> errors.add("--policy: " + error));
      }
      return policy;
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
