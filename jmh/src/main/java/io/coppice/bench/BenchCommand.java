// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.adaptive.AdaptiveOptions;
import io.coppice.bench.adaptive.AdaptiveSuite;
import io.coppice.bench.engine.Bench;
import io.coppice.bench.engine.BenchOptions;
import io.coppice.bench.papers.PaperOptions;
import io.coppice.bench.papers.PaperSuite;
import io.coppice.bench.peers.PeerOptions;
import io.coppice.bench.peers.PeerSuite;
import io.coppice.bench.read.ReadOptions;
import io.coppice.bench.read.ReadSuite;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** The command {@code bench}: the embedded store beside RocksDB, and suites of rows with goals. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = {
      "Measures the store beside others by the words of db_bench, in turn.",
      "Runs db_bench workloads on the embedded store and on others, in turn, each in a process of",
      "its own, with equal keys, memory, threads and durability. Merges are awaited and charged.",
      "Every answer is checked. The table goes to standard output, the same as JSON to target/bench.",
      "",
      "With --suite=read: lookups and seeks, cold and in memory, scheme beside scheme and store",
      "beside RocksDB, each row with its goal. A row that misses its goal is shown as missed."
    },
    footer = {
      "",
      "Example: java -jar coppice-bench.jar bench --suite=read --scale=tiny --rows='hot_*'",
      "Exit codes: 0 done, also with rows missed, 1 a fault of this program, 2 wrong usage, 3 a wrong",
      "answer, 4 incomplete, 5 this machine lacks disk or memory or measures already, 130 interrupted."
    })
public final class BenchCommand implements Callable<Integer> {

  private static final List<String> OF_SUITES =
      List.of(
          "scale", "seconds", "rows", "keep", "record", "only", "resume", "cgroup", "without-ycsb");

  private static final Path TARGET = Path.of("target", "bench");

  @Spec private CommandSpec spec;

  @Option(
      names = "--suite",
      paramLabel = "NAME",
      description = {
        "read: takes --scale, --seconds, --rounds, --rows, --seed, --keep, --record, --progress.",
        "quick, standard or full: the stores beside their peers, and YCSB; ycsb: that alone. They",
        "take --rounds, --seed, --resume, --cgroup and --progress, the first three --only and",
        "--without-ycsb, too.",
        "adaptive: a load that turns, on the policy that follows it and on the",
        "others; takes --scale (small: 31 minutes), --only, --rounds, --seed,",
        "--resume, --progress."
      })
  private String suite;

  @Option(
      names = "--scale",
      paramLabel = "NAME",
      description =
          "Of a suite: tiny (shows that it works, 2 minutes), small (the default, 10 minutes) or large"
              + " (10 GB of disk, 40 minutes).")
  private String scale;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Of a suite: for each side in each round; default by the scale.")
  private String seconds;

  @Option(
      names = "--rows",
      paramLabel = "GLOB",
      description = "Of a suite: rows by their id, such as 'cold_*'; default all.")
  private String rows;

  @Option(
      names = "--keep",
      description = "Of a suite: leaves the data for a next run of the same scale and seed.")
  private boolean keep;

  @Option(
      names = "--record",
      description = "Of a suite: leaves a flight recording of each process in target/bench.")
  private boolean record;

  @Option(
      names = "--benchmarks",
      paramLabel = "NAME,...",
      description =
          "fillseq, fillrandom, filluniquerandom, fillsync, fillbatch, overwrite, writeopenloop,"
              + " deleterandom, readrandom, readmissing, readhot, seekrandom, readseq, readreverse,"
              + " readwhilewriting, readrandomwriterandom, switchpolicy, compact; a fill comes"
              + " first. Default fillrandom,readrandom.")
  private String benchmarks;

  @Option(
      names = "--num",
      paramLabel = "N",
      description = "Writes of a fill, and different keys, at most 134217728; default 1000000.")
  private String num;

  @Option(
      names = "--reads",
      paramLabel = "N",
      description = "Reads of a cell, of seekrandom as many steps; default: as --num.")
  private String reads;

  @Option(
      names = "--value_size",
      paramLabel = "BYTES",
      description = "Of each value, half compressible; default 100. A key has 16.")
  private String valueSize;

  @Option(
      names = {"--memtable_size", "--write_buffer_size"},
      paramLabel = "SIZE",
      description = "Of one memtable of either store; default 64MiB.")
  private String memtableSize;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description = {
        "For three memtables, filters, indexes and block cache of either store; default: three",
        "memtables and 64MiB."
      })
  private String memory;

  @Option(
      names = "--merge_threads",
      paramLabel = "N",
      description = "Threads that merge; one more flushes. Default 1.")
  private String mergeThreads;

  @Option(
      names = "--policy",
      paramLabel = "TEXT",
      description = "Our policy, such as leveled,fanout=8; default split-forest.")
  private String policy;

  @Option(
      names = "--peer",
      paramLabel = "NAME",
      description = "rocksdb (leveled, the default) or none.")
  private String peer;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "How often each side is measured, in turn; default 3, or by the scale.")
  private String rounds;

  @Option(names = "--seed", paramLabel = "N", description = "Decides keys and values; default 42.")
  private String seed;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Of the report, target/bench/NAME.json; default engine.")
  private String name;

  @Mixin private StoreWords words = new StoreWords();

  @Mixin private SuiteWords suites = new SuiteWords();

  @Mixin private ProgressOption progress = new ProgressOption();

  @Unmatched private List<String> unknown = new ArrayList<>();

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    try {
      if (suites.paper() != null && suite != null) {
        throw new InvalidOptionsException(
            List.of("--suite and --paper are runs of their own; give one of them"));
      }
      if (suites.paper() != null) {
        PaperOptions options = PaperOptions.parse(suites.paper(), given(), unknown);
        return alone(
            () ->
                new PaperSuite(options, TARGET, out, err, drawn(options.progress()))
                    .run(command()));
      }
      if (suite == null) {
        BenchOptions options = withoutSuite();
        return alone(
            () -> new Bench(options, TARGET, out, err, drawn(options.progress())).run(command()));
      }
      if (suite.equals(ReadSuite.NAME)) {
        ReadOptions options = ReadOptions.parse(given(), unknown);
        return alone(
            () ->
                new ReadSuite(options, TARGET, out, err, drawn(options.progress())).run(command()));
      }
      if (suite.equals(AdaptiveSuite.NAME)) {
        AdaptiveOptions options = AdaptiveOptions.parse(given(), unknown);
        return alone(
            () ->
                new AdaptiveSuite(options, TARGET, out, err, drawn(options.progress()))
                    .run(command()));
      }
      PeerOptions options = PeerOptions.parse(suite, given(), unknown);
      return alone(
          () -> new PeerSuite(options, TARGET, out, err, drawn(options.progress())).run(command()));
    } catch (InvalidOptionsException e) {
      e.errors().forEach(err::println);
      err.println("Nothing was started. See: java -jar coppice-bench.jar bench --help");
      return ExitCode.USAGE;
    }
  }

  private BenchOptions withoutSuite() {
    List<String> faults = new ArrayList<>();
    OF_SUITES.stream()
        .filter(given()::containsKey)
        .forEach(
            name -> faults.add("--" + name + " is of a suite; give --suite, too, or leave it out"));
    try {
      BenchOptions options = BenchOptions.parse(given(), unknown);
      if (faults.isEmpty()) {
        return options;
      }
    } catch (InvalidOptionsException e) {
      faults.addAll(e.errors());
    }
    throw new InvalidOptionsException(faults);
  }

  /** Runs it, unless another process measures in the same directory, whose data it would remove. */
  private int alone(Callable<Integer> run) throws Exception {
    Path file = Files.createDirectories(TARGET).resolve("lock");
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock == null) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("Another run measures in " + TARGET.toAbsolutePath() + "; wait for its end.");
        err.println("Nothing was started.");
        return ExitCode.ENVIRONMENT;
      }
      return run.call();
    }
  }

  private static boolean drawn(String progress) {
    return progress.equals("bar") || (progress.equals("auto") && System.console() != null);
  }

  private String command() {
    return "java -jar jmh/target/coppice-bench.jar "
        + String.join(" ", spec.commandLine().getParseResult().originalArgs());
  }

  private Map<String, String> given() {
    Map<String, String> given = new TreeMap<>();
    put(given, "benchmarks", benchmarks);
    put(given, "num", num);
    put(given, "reads", reads);
    put(given, "value_size", valueSize);
    put(given, "memtable_size", memtableSize);
    put(given, "memory", memory);
    put(given, "merge_threads", mergeThreads);
    put(given, "policy", policy);
    put(given, "peer", peer);
    put(given, "rounds", rounds);
    put(given, "seed", seed);
    put(given, "name", name);
    put(given, "progress", progress.how());
    words.given().forEach((name, value) -> put(given, name, value));
    suites.given().forEach((name, value) -> put(given, name, value));
    put(given, "scale", scale);
    put(given, "seconds", seconds);
    put(given, "rows", rows);
    put(given, "keep", keep ? "true" : null);
    put(given, "record", record ? "true" : null);
    return given;
  }

  private static void put(Map<String, String> given, String name, String value) {
    if (value != null) {
      given.put(name, value);
    }
  }
}
