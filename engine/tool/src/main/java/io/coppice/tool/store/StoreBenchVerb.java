// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.Family;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.StoreStats;
import io.coppice.base.Durability;
import io.coppice.base.InvalidOptionsException;
import io.coppice.io.Disk;
import io.coppice.io.disk.RealDisk;
import io.coppice.manifest.ManifestReader;
import io.coppice.policy.spec.NameSuggestion;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.CommandProgress;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.cli.UsageException;
import io.coppice.tool.format.JsonLines;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.Values;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * The verb {@code store bench}, which measures the speed of a store on this host with the
 * benchmarks of {@code db_bench}. It works in a family of its own and leaves the rest of the store
 * alone. It refuses a store that no benchmark created, unless an option allows it.
 */
final class StoreBenchVerb {

  /** Name of the family that the benchmark fills and empties. */
  static final String FAMILY = "coppice-bench";

  private static final String WORDS =
      "fillseq,overwrite,readrandom,seekrandom,readseq,readreverse,compact,readrandom,stats";
  private static final int DEFAULT_KEYS = 1_000_000;
  private static final int DEFAULT_VALUE_BYTES = 100;
  private static final int MAX_VALUE_BYTES = 64 << 20;
  private static final int MAX_THREADS = 256;
  private static final long DEFAULT_SEED = 42;

  static final StoreVerb VERB =
      new StoreVerb(
          "bench",
          "Measures the speed of a store with the benchmarks of db_bench.",
          List.of(
              "Benchmarks: " + String.join(", ", BenchWord.labels().subList(0, 7)) + ",",
              String.join(", ", BenchWord.labels().subList(7, BenchWord.labels().size())) + ".",
              "Keys have "
                  + BenchmarkKeys.BYTES
                  + " bytes; values compress to half. A fill deletes earlier keys first, unless",
              "--use-existing is given. All benchmarks use the family "
                  + FAMILY
                  + " and leave other",
              "families unchanged. --json prints one document with all results at the end."),
          List.of("DIRECTORY"),
          List.of(
              new CommandOptions.Help(
                  "--benchmarks", "WORD,...", "Benchmarks, in this order. Default: " + WORDS + "."),
              new CommandOptions.Help(
                  "--num", "N", "Distinct keys, and writes per thread. Default: 1000000."),
              new CommandOptions.Help("--reads", "N", "Reads per thread. Default: --num."),
              new CommandOptions.Help("--value-size", "SIZE", "Size of a value. Default: 100."),
              new CommandOptions.Help("--threads", "N", "Number of threads. Default: 1."),
              new CommandOptions.Help("--seed", "N", "Seed of keys and values. Default: 42."),
              new CommandOptions.Help(
                  "--sync", "", "Sync each write. Default: leave syncing to the operating system."),
              new CommandOptions.Help(
                  "--policy",
                  "TEXT",
                  "Policy, such as leveled,fanout=8. Default: the policy of the store."),
              new CommandOptions.Help(
                  "--use-existing",
                  "",
                  "Keep existing keys, and allow a store that no benchmark created."),
              CommandOptions.JSON,
              StoreLine.MEMORY),
          List.of(
              "bench new",
              "bench --benchmarks fillrandom,waitforcompaction,readrandom --threads 4 new"),
          StoreBenchVerb::run);

  private final Store store;
  private final BenchLoad load;
  private final Values values;
  private final boolean existing;
  private final boolean json;
  private final CommandOutput streams;
  private final ArrayNode results = JsonNodeFactory.instance.arrayNode();
  private Family family;

  private StoreBenchVerb(
      Store store, BenchLoad load, boolean existing, boolean json, CommandOutput streams) {
    this.store = store;
    this.load = load;
    this.values = new Values(load.valueBytes(), load.seed());
    this.existing = existing;
    this.json = json;
    this.streams = streams;
  }

  private static int run(StoreLine line, CommandOutput streams) throws IOException {
    final Path directory = line.directoryToCreate();
    CommandOptions options = line.options();
    final List<BenchWord> words = words(options);
    int keys = (int) options.integer("--num", 1, Integer.MAX_VALUE, DEFAULT_KEYS);
    BenchLoad load =
        new BenchLoad(
            keys,
            options.integer("--reads", 1, Integer.MAX_VALUE, keys),
            (int) options.bytes("--value-size", 0, MAX_VALUE_BYTES, DEFAULT_VALUE_BYTES),
            (int) options.integer("--threads", 1, MAX_THREADS, 1),
            options.integer("--seed", Long.MIN_VALUE, Long.MAX_VALUE, DEFAULT_SEED),
            options.flag("--sync") ? Durability.SYNC : Durability.BUFFERED);
    Optional<String> policy = options.text("--policy");
    policy.ifPresent(text -> checkPolicy(text, options));
    boolean existing = options.flag("--use-existing");
    boolean json = line.json();
    long memory = line.memoryBytes();
    line.complain();
    if (!existing && foreign(directory)) {
      throw new UsageException(
          List.of(
              "DIRECTORY ("
                  + directory
                  + ") must be new or a store of store bench, and it holds another store;"
                  + " --use-existing allows it and uses only the family "
                  + FAMILY));
    }
    StoreOptions.Builder opening = StoreLine.options(memory).durability(load.durability());
    try (Store store = StoreLine.write(directory, opening)) {
      StoreBenchVerb bench = new StoreBenchVerb(store, load, existing, json, streams);
      bench.begin(policy);
      for (int place = 0; place < words.size(); place++) {
        bench.word(words.get(place), place);
      }
      if (json) {
        ObjectNode root = JsonLines.object();
        root.set("results", bench.results);
        JsonLines.print(root, streams.out());
      }
    }
    return ExitCode.DONE;
  }

  private static List<BenchWord> words(CommandOptions options) {
    List<BenchWord> words = new ArrayList<>();
    for (String label : options.text("--benchmarks").orElse(WORDS).split(",", -1)) {
      Optional<BenchWord> word = BenchWord.find(label.trim());
      if (word.isEmpty()) {
        options.fault(
            "--benchmarks: word "
                + NameSuggestion.notUnderstood(label.trim(), BenchWord.labels(), "words"));
      }
      word.ifPresent(words::add);
    }
    return words;
  }

  private static void checkPolicy(String text, CommandOptions options) {
    try {
      PolicySpec.parse(text);
    } catch (PolicySpecException e) {
      e.errors().forEach(error -> options.fault("--policy: " + error));
    }
  }

  /**
   * Returns whether the directory has a store without the benchmark's family, which a benchmark
   * would have created.
   */
  private static boolean foreign(Path directory) throws IOException {
    if (StoreLine.isNew(directory)) {
      return false;
    }
    try (Disk disk = RealDisk.openForReading(directory)) {
      return ManifestReader.read(disk).state().family(FAMILY) == null;
    }
  }

  /** Opens the family of the benchmark, or creates it. */
  private void begin(Optional<String> policy) throws InvalidOptionsException {
    boolean there = store.families().stream().anyMatch(known -> known.name().equals(FAMILY));
    if (there) {
      family = store.family(FAMILY);
      policy.ifPresent(family::policy);
    } else {
      family =
          policy
              .map(text -> store.createFamily(FAMILY, text))
              .orElseGet(() -> store.createFamily(FAMILY));
    }
    if (!json) {
      streams.out().println("keys     " + load.keys() + " of " + BenchmarkKeys.BYTES + " bytes");
      streams.out().println("values   " + load.valueBytes() + " bytes, which compress to half");
      streams
          .out()
          .println(
              "writes   "
                  + (load.durability() == Durability.SYNC
                      ? "synced"
                      : "left to the operating system")
                  + "; threads "
                  + load.threads()
                  + ", seed "
                  + load.seed());
      streams.out().println("policy   " + family.policy());
    }
  }

  private void word(BenchWord word, int place) {
    if (word == BenchWord.STATS) {
      if (json) {
        results.addObject().set("stats", StoreStatsVerb.document(store.stats()));
      } else {
        StoreStatsVerb.print(store.stats(), streams.out());
      }
      return;
    }
    if (word.fills() && !existing) {
      String policy = family.policy();
      store.dropFamily(FAMILY);
      family = store.createFamily(FAMILY, policy);
    }
    BenchRun run = new BenchRun(store, family, load, values, word, place);
    CommandProgress progress =
        CommandProgress.on(streams, word.label(), share(run, word, store.stats()));
    BenchResult result;
    try {
      result = run.run();
    } finally {
      progress.close();
    }
    if (json) {
      results.add(result.json());
    } else {
      result.lines().forEach(streams.out()::println);
    }
  }

  /**
   * Returns a supplier of the completed share of a benchmark, from 0 to 1. For a benchmark of the
   * whole key space it is the bytes that merges have read, divided by the bytes of all tables.
   *
   * @param before the statistics at the start of the benchmark
   */
  private DoubleSupplier share(BenchRun run, BenchWord word, StoreStats before) {
    if (!word.whole()) {
      return run::share;
    }
    long all = Math.max(1, before.tableBytes());
    return () -> (double) (store.stats().mergeReadBytes() - before.mergeReadBytes()) / all;
  }
}
