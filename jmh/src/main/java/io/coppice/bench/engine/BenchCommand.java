// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.ExitCode;
import io.coppice.bench.ProgressOption;
import java.io.PrintWriter;
import java.nio.file.Path;
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

/** The command {@code bench}: the embedded store beside RocksDB. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = {
      "Runs db_bench workloads on the embedded store and on RocksDB, in turn, each in a process of",
      "its own, with equal keys, memory, threads and durability. Merges are awaited and charged.",
      "Every answer is checked. The table goes to standard output, the same as JSON to target/bench."
    },
    footer = {"", "Exit codes: 0 done, 2 wrong usage, 3 a wrong answer, 4 incomplete."})
public final class BenchCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--benchmarks",
      paramLabel = "NAME,...",
      description = {
        "fillseq, fillrandom, overwrite, readrandom, readmissing, seekrandom, readseq, compact; a",
        "fill comes first. Default fillrandom,readrandom."
      })
  private String benchmarks;

  @Option(
      names = "--num",
      paramLabel = "N",
      description = "Writes of a fill, and different keys; default 1000000.")
  private String num;

  @Option(names = "--reads", paramLabel = "N", description = "Reads of a cell; default: as --num.")
  private String reads;

  @Option(
      names = "--value_size",
      paramLabel = "BYTES",
      description = "Of each value, half compressible; default 100. A key has 16.")
  private String valueSize;

  @Option(
      names = "--memtable_size",
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
      description = "How often each store is measured, in turn; default 3.")
  private String rounds;

  @Option(names = "--seed", paramLabel = "N", description = "Decides keys and values; default 42.")
  private String seed;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Of the report, target/bench/NAME.json; default engine.")
  private String name;

  @Mixin private ProgressOption progress = new ProgressOption();

  @Unmatched private List<String> unknown = new ArrayList<>();

  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    BenchOptions options;
    try {
      options = BenchOptions.parse(given(), unknown);
    } catch (InvalidOptionsException e) {
      e.errors().forEach(err::println);
      err.println("Nothing was started. See: java -jar coppice-bench.jar bench --help");
      return ExitCode.USAGE;
    }
    boolean terminal =
        options.progress().equals("bar")
            || (options.progress().equals("auto") && System.console() != null);
    return new Bench(options, Path.of("target", "bench"), out, err, terminal).run(command());
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
    return given;
  }

  private static void put(Map<String, String> given, String name, String value) {
    if (value != null) {
      given.put(name, value);
    }
  }
}
