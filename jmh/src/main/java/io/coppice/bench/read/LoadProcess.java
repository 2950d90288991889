// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.StoreStats;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.bench.store.CoppiceStore;
import io.coppice.bench.store.TestedStore;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.ParentLines;
import io.coppice.simulator.keys.Permutation;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.Values;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Process that loads one data set: every key once, with a value that the key's number determines.
 */
final class LoadProcess {

  private static final int WATCH_MASK = (1 << 12) - 1;
  private static final long MIB = 1 << 20;

  private final ReadScale scale;
  private final Dataset dataset;
  private final Path directory;
  private final Values values;
  private final byte[] key = new byte[BenchmarkKeys.BYTES];
  private final ParentLines parent;
  private final long seed;
  private int written;

  /**
   * Work of a process.
   *
   * @param data directory of all data sets
   */
  record Task(ReadOptions options, Path data, Dataset dataset) implements ChildTask {
    @Override
    public void run(ParentLines parent) throws Exception {
      new LoadProcess(this, parent).load();
    }
  }

  private LoadProcess(Task task, ParentLines parent) {
    this.parent = parent;
    this.scale = task.options().scale();
    this.dataset = task.dataset();
    this.directory = dataset.directory(task.data());
    this.values = new Values(dataset.valueBytes(), task.options().seed());
    this.seed = task.options().seed();
  }

  private void load() throws Exception {
    Files.createDirectories(directory);
    if (dataset == Dataset.RUNS) {
      loadRuns();
    } else {
      loadAll();
    }
  }

  /** Writes all keys in random order and waits for all merges. */
  private void loadAll() throws Exception {
    try (TestedStore store = ReadSide.open(dataset, directory, scale)) {
      Permutation order = new Permutation(dataset.keys(scale), seed);
      for (int i = 0; i < dataset.keys(scale); i++) {
        put(store, order.of(i));
      }
      store.settle();
    }
  }

  /**
   * Returns the memtable size in bytes for the data set {@link Dataset#RUNS}, with room for the
   * overhead of each entry.
   */
  private static long memtableOfRuns(ReadScale scale) {
    return 2 * scale.runBytes() + (4 << 20);
  }

  /** Returns the memory budget of the process that loads the data set {@link Dataset#RUNS}. */
  static MemoryBudget budgetOfRuns(ReadScale scale) {
    return MemoryBudget.ofMebibytes(4 * memtableOfRuns(scale) / MIB + 64);
  }

  /**
   * Loads all runs of the data set {@link Dataset#RUNS}. A run has the keys whose numbers leave one
   * remainder, so all runs have the same range.
   */
  private void loadRuns() throws Exception {
    StoreOptions forms =
        StoreOptions.builder()
            .policy(dataset.policy(scale))
            .memory(budgetOfRuns(scale))
            .memtableBytes(memtableOfRuns(scale))
            .filterBits(Dataset.FILTER_BITS)
            .directReads(dataset == Dataset.RUNS)
            .durability(Durability.BUFFERED)
            .build();
    Store store = Store.open(Files.createDirectories(directory.resolve("base")), forms);
    try (TestedStore tested = new CoppiceStore(store, dataset.label(), dataset.valueBytes())) {
      for (int run = 0; run < ReadScale.RUNS; run++) {
        for (int at = run; at < scale.runKeys(); at += ReadScale.RUNS) {
          put(tested, at);
        }
        store.flush();
      }
      store.awaitIdle();
      long runs = store.stats().levels().stream().mapToLong(StoreStats.LevelStats::runs).sum();
      if (runs != ReadScale.RUNS) {
        throw new IllegalStateException(runs + " runs instead of " + ReadScale.RUNS);
      }
      for (Variant variant : Variant.ALL) {
        if (variant.dataset() == dataset) {
          store.checkpoint(directory.resolve(variant.label()));
        }
      }
    }
  }

  private void put(TestedStore store, int index) throws Exception {
    BenchmarkKeys.write(key, index);
    store.put(key, values.pool(), values.position(index), values.length());
    if ((written++ & WATCH_MASK) == 0) {
      parent.at(dataset.label(), written, dataset.keys(scale));
    }
  }
}
