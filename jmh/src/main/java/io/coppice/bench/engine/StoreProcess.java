// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.Measure;
import io.coppice.bench.store.StoreSpec;
import io.coppice.bench.store.TestedStore;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.Directories;
import io.coppice.bench.suite.ParentLines;
import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.Values;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Process that measures one store once. It writes lines to its parent: {@code store} with a
 * description, {@code at} with workload and progress, {@code second} with one second of a workload.
 * The line {@code result} has figures, and {@code wrong} the first wrong answer.
 *
 * @param directory directory of the store, empty at the start
 * @param options options whose only store is measured
 */
public record StoreProcess(Path directory, BenchOptions options) implements ChildTask {

  /**
   * Number of operations on a scratch store before the measurement, so that the code is compiled.
   */
  private static final int WARM_UP = 200_000;

  /**
   * Number of warm-up writes before {@link Benchmark#WRITEOPENLOOP}. A queue that forms during
   * compilation drains only as fast as the rate allows and would hide every other wait.
   */
  static final int OPEN_LOOP_WARM_UP = 2_000_000;

  /** Number of warm-up writes of stores that sync or commit each write, which takes long. */
  private static final int SLOW_WARM_UP = 5_000;

  /**
   * Maximum number of memtables that a warm-up flushes. With memtables of a few kilobytes, the
   * warm-up would otherwise last as long as the run.
   */
  private static final int MAX_WARM_MEMTABLES = 500;

  @Override
  public void run(ParentLines parent) throws Exception {
    Path scratch = directory.resolve("scratch");
    measure(warmUp(options.stores().get(0), options), scratch, parent, false);
    Directories.delete(scratch);
    measure(options, directory.resolve("data"), parent, true);
  }

  /** Returns the options of the warm-up, on a store that the process removes before it begins. */
  public static BenchOptions warmUp(StoreSpec spec, BenchOptions options) {
    boolean slow = spec.kind() == StoreSpec.Kind.MAPDB || spec.kind() == StoreSpec.Kind.MVSTORE;
    boolean openLoop = options.benchmarks().contains(Benchmark.WRITEOPENLOOP);
    long many = slow ? SLOW_WARM_UP : openLoop ? OPEN_LOOP_WARM_UP : WARM_UP;
    long flushed =
        MAX_WARM_MEMTABLES * options.memtableBytes() / (BenchmarkKeys.BYTES + options.valueBytes());
    return options.scratch((int) Math.max(1, Math.min(many, flushed)));
  }

  private static void measure(BenchOptions run, Path parent, ParentLines lines, boolean reported)
      throws Exception {
    Values values = new Values(run.valueBytes(), run.seed());
    Expected expected = null;
    int writes = 0;
    int stores = 0;
    Path path = parent;
    TestedStore store = null;
    try {
      for (int place = 0; place < run.benchmarks().size(); place++) {
        Benchmark benchmark = run.benchmarks().get(place);
        if (benchmark.fills()) {
          if (store != null) {
            store.close();
            Directories.delete(parent);
          }
          path = Files.createDirectories(parent.resolve("store-" + stores++));
          store = TestedStore.open(path, benchmark == Benchmark.FILLSYNC ? run.synced() : run);
          // Of a run with many keys there is no room for two.
          expected = null;
          expected = new Expected(run.entries());
          if (reported && stores == 1) {
            lines.say("store", store.describe());
          }
        }
        WorkloadRun cell =
            new WorkloadRun(
                store,
                path,
                run,
                values,
                expected,
                writes,
                reported
                    ? (done, total) -> lines.at(benchmark.label(), done, total)
                    : (done, total) -> {},
                second -> lines.say("second", second));
        if (reported) {
          lines.begin();
          lines.at(benchmark.label(), 0, 1);
        }
        CellResult result = cell.run(benchmark, place);
        writes += (int) result.of(Measure.WRITES);
        if (reported) {
          lines.say("result", result);
        }
      }
    } catch (WrongAnswerException e) {
      // Written before the store is closed, because closing may fail, too.
      lines.say("wrong", e.getMessage());
      throw e;
    } finally {
      if (store != null) {
        store.close();
      }
    }
  }
}
