// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.Benchmark;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.LatencyHistogram;
import io.coppice.workload.Values;

/** Writer of a workload, on a single thread. Used once. */
final class Writing {

  private static final int WATCH_MASK = (1 << 10) - 1;
  private static final int SYNCED_SHARE = 1000;
  private static final int BATCH = 1000;

  /** Number of times per memtable that a writer with {@code rests} waits for flushes and merges. */
  private static final int RESTS = 8;

  private final WorkloadRun cell;
  private final BenchOptions options;
  private final Values values;
  private final Watch watch;
  private final LatencyHistogram latencies = new LatencyHistogram();
  private final byte[] key = new byte[BenchmarkKeys.BYTES];
  private int write;
  private long done;

  Writing(WorkloadRun cell, Watch watch) {
    this.cell = cell;
    this.options = cell.options();
    this.values = cell.values();
    this.write = cell.writesBefore();
    this.watch = watch;
  }

  long done() {
    return done;
  }

  LatencyHistogram latencies() {
    return latencies;
  }

  void run(Benchmark benchmark) throws Exception {
    int entries = options.entries();
    KeyDraws drawn = KeyDraws.of(options.traffic(), entries, options.seed() + write);
    switch (benchmark) {
      case FILLSEQ -> put(KeyDraws.ascending(), entries, false);
      case FILLUNIQUERANDOM -> put(KeyDraws.once(entries, options.seed()), entries, false);
      case FILLSYNC -> put(drawn, Math.max(1, entries / SYNCED_SHARE), false);
      case FILLBATCH -> putBatches(drawn, entries);
      case WRITEOPENLOOP -> put(drawn, entries, true);
      case DELETERANDOM -> delete(drawn, entries / 2);
      case DELETEUNIQUERANDOM ->
          delete(
              KeyDraws.once(entries, options.seed() + 1),
              (int) ((long) entries * options.traffic().deletePercent() / 100));
      default -> put(drawn, entries, false);
    }
  }

  private static double perSecond(BenchOptions options) {
    return perSecond(options.traffic().writeBytesPerSecond(), options);
  }

  /**
   * Returns how many operations per second a limit of bytes per second allows, or 0 for no limit.
   */
  static double perSecond(long bytesPerSecond, BenchOptions options) {
    return (double) bytesPerSecond / (BenchmarkKeys.BYTES + options.valueBytes());
  }

  private void put(KeyDraws draws, int total, boolean fromIntended) throws Exception {
    Pace pace = new Pace(perSecond(options));
    long entry = BenchmarkKeys.BYTES + options.valueBytes();
    int stretch = (int) Math.max(1, options.memtableBytes() / RESTS / entry);
    for (int i = 0; i < total; i++) {
      if (options.traffic().rests() && i % stretch == 0) {
        cell.store().rest();
      }
      long due = pace.next();
      long began = fromIntended ? due : System.nanoTime();
      putOne(draws.next());
      took(System.nanoTime() - began, total);
    }
  }

  private void putOne(int index) throws Exception {
    BenchmarkKeys.write(key, index);
    cell.store().put(key, values.pool(), values.position(write), values.length());
    cell.expected().written(index, write++);
  }

  private void putBatches(KeyDraws draws, int total) throws Exception {
    byte[][] keys = new byte[Math.min(BATCH, total)][BenchmarkKeys.BYTES];
    int[] positions = new int[keys.length];
    for (int from = 0; from + keys.length <= total; from += keys.length) {
      long began = System.nanoTime();
      for (int i = 0; i < keys.length; i++) {
        int index = draws.next();
        BenchmarkKeys.write(keys[i], index);
        positions[i] = values.position(write);
        cell.expected().written(index, write++);
      }
      cell.store().putAll(keys, values.pool(), positions, values.length());
      done += keys.length - 1;
      took(System.nanoTime() - began, total);
      cell.watcher().at(done, total);
    }
  }

  private void delete(KeyDraws draws, int total) throws Exception {
    for (int i = 0; i < total; i++) {
      int index = draws.next();
      BenchmarkKeys.write(key, index);
      long began = System.nanoTime();
      cell.store().delete(key);
      cell.expected().deleted(index);
      took(System.nanoTime() - began, total);
    }
  }

  private void took(long nanos, long total) {
    latencies.record(nanos);
    watch.wrote(nanos);
    if ((done++ & WATCH_MASK) == 0) {
      cell.watcher().at(done, total);
    }
  }
}
