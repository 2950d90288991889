// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.Directories;
import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The process in which one store is measured, once. It tells its parent by lines: {@code store}
 * with a description, {@code at} with a workload, what is done and the total, {@code result} with
 * figures, {@code wrong} with the first wrong answer.
 */
public final class StoreProcess {

  /** Exit code after a wrong answer. */
  static final int WRONG = 3;

  /** Operations on a scratch store before anything is measured, so that the code is compiled. */
  private static final int WARM_UP = 200_000;

  private static final long WATCH_NANOS = 200_000_000;

  private final String kind;
  private final Path directory;
  private final BenchOptions options;
  private long lastWatch;

  private StoreProcess(String kind, Path directory, BenchOptions options) {
    this.kind = kind;
    this.directory = directory;
    this.options = options;
  }

  /** Arguments: the store's kind, an empty directory, and the options of the run. */
  public static void main(String[] args) throws IOException {
    StoreProcess process =
        new StoreProcess(
            args[0],
            Path.of(args[1]),
            BenchOptions.ofArguments(List.of(args).subList(2, args.length)));
    try {
      process.warmUp();
      process.run();
    } catch (WrongAnswerException e) {
      say("wrong " + e.getMessage());
      System.exit(WRONG);
    }
  }

  private void warmUp() throws IOException {
    BenchOptions small = options.scratch(WARM_UP);
    Path scratch = directory.resolve("scratch");
    measure(small, scratch, false);
    Directories.delete(scratch);
  }

  private void run() throws IOException {
    measure(options, directory.resolve("data"), true);
  }

  private void measure(BenchOptions run, Path parent, boolean reported) throws IOException {
    Values values = new Values(run.valueBytes(), run.seed());
    Expected expected = new Expected(run.entries());
    int writes = 0;
    int stores = 0;
    TestedStore store = null;
    try {
      for (Benchmark benchmark : run.benchmarks()) {
        if (benchmark.fills()) {
          if (store != null) {
            store.close();
            Directories.delete(parent);
          }
          store = open(Files.createDirectories(parent.resolve("store-" + stores++)), run);
          expected = new Expected(run.entries());
          if (reported && stores == 1) {
            say("store " + store.describe());
          }
        }
        Cell cell =
            new Cell(
                store,
                run,
                values,
                expected,
                writes,
                reported ? (done, total) -> watch(benchmark, done, total) : (done, total) -> {});
        if (reported) {
          lastWatch = 0;
          watch(benchmark, 0, 1);
        }
        CellResult result = cell.run(benchmark);
        writes += benchmark.writes() ? run.entries() : 0;
        if (reported) {
          say("result " + result.text());
        }
      }
    } finally {
      if (store != null) {
        store.close();
      }
    }
  }

  private TestedStore open(Path path, BenchOptions run) {
    return switch (kind) {
      case "coppice" -> new CoppiceStore(path, run);
      case "rocksdb" -> new RocksStore(path, run);
      default -> throw new IllegalArgumentException("no such store: " + kind);
    };
  }

  private void watch(Benchmark benchmark, long done, long total) {
    long now = System.nanoTime();
    if (now - lastWatch >= WATCH_NANOS) {
      lastWatch = now;
      say("at " + benchmark.label() + " " + done + " " + total);
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
