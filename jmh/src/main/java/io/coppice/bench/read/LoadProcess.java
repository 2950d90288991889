// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.StoreStats;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.bench.engine.CoppiceStore;
import io.coppice.bench.engine.TestedStore;
import io.coppice.simulator.Permutation;
import io.coppice.workload.Keys;
import io.coppice.workload.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The process that loads one data set: every key once, each with the value that its number decides.
 */
public final class LoadProcess {

  private static final int WATCH_MASK = (1 << 12) - 1;
  private static final long MIB = 1 << 20;

  private final ReadOptions options;
  private final Dataset dataset;
  private final Path directory;
  private final Values values;
  private final byte[] key = new byte[Keys.BYTES];
  private final Told told = new Told();
  private int written;

  private LoadProcess(ReadOptions options, Dataset dataset, Path data) {
    this.options = options;
    this.dataset = dataset;
    this.directory = dataset.directory(data);
    this.values = new Values(dataset.valueBytes(), options.seed());
  }

  /** Arguments: the data set, the directory of all, and the options of the run. */
  public static void main(String[] args) throws Exception {
    ReadOptions options = ReadOptions.ofArguments(List.of(args).subList(2, args.length));
    Dataset dataset = Dataset.valueOf(args[0]);
    LoadProcess process = new LoadProcess(options, dataset, Path.of(args[1]));
    Told.work(process::load);
  }

  private void load() throws IOException {
    Files.createDirectories(directory);
    if (dataset == Dataset.RUNS) {
      loadRuns();
    } else {
      loadAll();
    }
    Told.say("loaded");
  }

  /** In random order, and settled. */
  private void loadAll() {
    try (TestedStore store =
        dataset.grouped()
            ? GroupedSide.loading(dataset).open(directory, options.scale())
            : PeerProcess.open(dataset, directory, options.scale())) {
      Permutation order = new Permutation(dataset.keys(options.scale()), options.seed());
      for (int i = 0; i < dataset.keys(options.scale()); i++) {
        put(store, order.of(i));
      }
      store.settle();
    }
  }

  /** An entry takes some dozen bytes beside its own in a memtable. */
  private static long memtableOfRuns(ReadScale scale) {
    return 2 * scale.runBytes() + (4 << 20);
  }

  /** The budget with which runs are loaded, which is the most that a process of the suite has. */
  static MemoryBudget budgetOfRuns(ReadScale scale) {
    return MemoryBudget.ofMebibytes(4 * memtableOfRuns(scale) / MIB + 64);
  }

  /** Each run has all keys of one remainder, so all runs have the same range. */
  private void loadRuns() throws IOException {
    ReadScale scale = options.scale();
    StoreOptions forms =
        StoreOptions.builder()
            .policy(dataset.policy(scale))
            .memory(budgetOfRuns(scale))
            .memtableBytes(memtableOfRuns(scale))
            .filterBits(PeerProcess.FILTER_BITS)
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
      for (Variant variant : Variant.values()) {
        if (variant.dataset() == dataset) {
          store.checkpoint(directory.resolve(variant.label()));
        }
      }
    }
  }

  private void put(TestedStore store, int index) {
    Keys.write(key, index);
    store.put(key, values.pool(), values.position(index), values.length());
    if ((written++ & WATCH_MASK) == 0) {
      told.at(dataset.label(), written, dataset.keys(options.scale()));
    }
  }
}
