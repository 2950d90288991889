// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.Values;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * One workload on one store. Every answer is checked for being there or not, every sixteenth value
 * byte by byte. Keys and values of an operation depend on the seed alone, so each store gets the
 * same ones. Used once.
 */
final class WorkloadRun {

  /** Told how far the cell is, often. */
  interface Watcher {
    void at(long done, long total);
  }

  /** Slower operations are recorded as this. */
  static final long MAX_LATENCY_NANOS = 100_000_000_000L;

  private final TestedStore store;
  private final Path directory;
  private final BenchOptions options;
  private final Values values;
  private final Expected expected;

  /** Writes before this cell; numbers of writes go on from there. */
  private final int writesBefore;

  private final Watcher watcher;
  private final Consumer<Second> seconds;
  private final Map<Measure, Long> measures = new EnumMap<>(Measure.class);

  /**
   * Prepares a workload.
   *
   * @param directory of the store
   * @param seconds receives each second if the options request it
   */
  WorkloadRun(
      TestedStore store,
      Path directory,
      BenchOptions options,
      Values values,
      Expected expected,
      int writesBefore,
      Watcher watcher,
      Consumer<Second> seconds) {
    this.store = store;
    this.directory = directory;
    this.options = options;
    this.values = values;
    this.expected = expected;
    this.writesBefore = writesBefore;
    this.watcher = watcher;
    this.seconds = seconds;
  }

  /**
   * Runs a benchmark.
   *
   * @param place position of the benchmark in the run
   */
  CellResult run(Benchmark benchmark, int place) {
    final TestedStore.Counters before = store.counters();
    final ProcessFigures used = ProcessFigures.now();
    try (Watch watch =
        new Watch(store, directory, benchmark, options.traffic().timeline() ? seconds : null)) {
      long start = System.nanoTime();
      work(benchmark, place, watch);
      long end = System.nanoTime();
      measures.put(Measure.OPERATION_NANOS, end - start);
      if (benchmark.writes() || benchmark.mixes()) {
        long quiet = store.settle();
        measures.put(Measure.WAIT_NANOS, Math.max(0, System.nanoTime() - end - quiet));
        measures.put(
            Measure.ACCEPTED_BYTES,
            measures.get(Measure.WRITES) * (BenchmarkKeys.BYTES + acceptedValueBytes(benchmark)));
      }
      watch.end(measures);
    }
    put(before, store.counters());
    ProcessFigures now = ProcessFigures.now();
    measures.put(Measure.PROCESSOR_NANOS, now.processorNanos() - used.processorNanos());
    measures.put(Measure.ALLOCATED_BYTES, now.allocatedBytes() - used.allocatedBytes());
    measures.put(Measure.DEVICE_BYTES, now.deviceBytes() - used.deviceBytes());
    measures.put(Measure.GC_COUNT, now.collections() - used.collections());
    measures.put(Measure.GC_MILLIS, now.collectionMillis() - used.collectionMillis());
    measures.put(Measure.PEAK_RESIDENT_BYTES, ProcessFigures.peakResidentBytes());
    measures.put(
        Measure.LIVE_BYTES, (long) expected.count() * (BenchmarkKeys.BYTES + options.valueBytes()));
    return new CellResult(benchmark, measures);
  }

  /** A deletion brings its key alone. */
  private long acceptedValueBytes(Benchmark benchmark) {
    return benchmark == Benchmark.DELETERANDOM ? 0 : options.valueBytes();
  }

  private void work(Benchmark benchmark, int place, Watch watch) {
    if (benchmark.writes()) {
      Writing writing = new Writing(store, options, values, expected, writesBefore, watcher, watch);
      writing.run(benchmark);
      measures.put(Measure.OPERATIONS, writing.done());
      measures.put(Measure.WRITES, writing.done());
      latencies(writing.latencies());
    } else if (benchmark == Benchmark.COMPACT) {
      store.compact();
      measures.put(Measure.OPERATIONS, 1L);
    } else if (benchmark == Benchmark.SWITCHPOLICY) {
      store.policy(options.form().laterPolicy());
      measures.put(Measure.OPERATIONS, 1L);
    } else {
      read(benchmark, place, watch);
    }
  }

  private void read(Benchmark benchmark, int place, Watch watch) {
    Reading reading = new Reading(store, options, values, expected, writesBefore, watcher, watch);
    reading.run(benchmark, place);
    measures.put(Measure.OPERATIONS, reading.done());
    measures.put(Measure.FOUND, reading.found());
    measures.put(Measure.VALUES_CHECKED, reading.compared());
    latencies(reading.latencies());
    if (benchmark.mixes()) {
      Histogram writes = reading.writeLatencies();
      measures.put(Measure.WRITES, writes.getTotalCount());
      measures.put(Measure.WRITE_P50_NANOS, writes.getValueAtPercentile(50));
      measures.put(Measure.WRITE_P99_NANOS, writes.getValueAtPercentile(99));
      measures.put(Measure.WRITE_MAX_NANOS, writes.getMaxValue());
    }
  }

  private void latencies(Histogram latencies) {
    if (latencies.getTotalCount() > 0) {
      measures.put(Measure.P50_NANOS, latencies.getValueAtPercentile(50));
      measures.put(Measure.P99_NANOS, latencies.getValueAtPercentile(99));
      measures.put(Measure.P999_NANOS, latencies.getValueAtPercentile(99.9));
      measures.put(Measure.P9999_NANOS, latencies.getValueAtPercentile(99.99));
      measures.put(Measure.MAX_NANOS, latencies.getMaxValue());
    }
  }

  private void put(TestedStore.Counters before, TestedStore.Counters after) {
    difference(Measure.FLUSHES, before.flushes(), after.flushes());
    difference(Measure.FLUSHED_BYTES, before.flushedBytes(), after.flushedBytes());
    difference(Measure.MERGED_BYTES, before.mergedBytes(), after.mergedBytes());
    difference(Measure.MERGE_READ_BYTES, before.mergeReadBytes(), after.mergeReadBytes());
    difference(Measure.DELAYED_NANOS, before.delayedNanos(), after.delayedNanos());
    difference(Measure.LOOKUPS, before.lookups(), after.lookups());
    difference(Measure.TABLES_ASKED, before.tablesAsked(), after.tablesAsked());
    difference(Measure.DELAYS, before.delays(), after.delays());
    measures.put(Measure.TABLE_BYTES, after.tableBytes());
    if (after.sortedRuns() >= 0) {
      measures.put(Measure.SORTED_RUNS, after.sortedRuns());
    }
  }

  private void difference(Measure measure, long before, long after) {
    if (after >= 0) {
      measures.put(measure, after - before);
    }
  }
}
