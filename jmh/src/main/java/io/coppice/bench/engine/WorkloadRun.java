// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.Measure;
import io.coppice.bench.store.ProcessFigures;
import io.coppice.bench.store.TestedStore;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.LatencyHistogram;
import io.coppice.workload.Values;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One workload on one store. The presence of every answer is checked, and every sixteenth value
 * byte by byte. Keys and values of an operation depend on the seed alone, so each store gets the
 * same ones. Used once.
 *
 * @param directory directory of the store
 * @param writesBefore number of the first write; numbers determine values
 * @param watcher receives the progress
 * @param seconds receives the figures of each second if the options request them
 */
record WorkloadRun(
    TestedStore store,
    Path directory,
    BenchOptions options,
    Values values,
    Expected expected,
    int writesBefore,
    Watcher watcher,
    Consumer<Second> seconds) {

  /** Receiver of the progress of a workload, called often; both numbers are operations. */
  interface Watcher {
    void at(long done, long total);
  }

  /**
   * Measures that report a present state. All others report the difference between the end and the
   * start.
   */
  private static final Set<Measure> PRESENT = Set.of(Measure.TABLE_BYTES, Measure.SORTED_RUNS);

  /**
   * Runs a workload and returns its measures.
   *
   * @param place position of the workload in the run, which determines its random numbers
   * @throws io.coppice.bench.suite.WrongAnswerException if the store returned other data than was
   *     written
   */
  CellResult run(Benchmark benchmark, int place) throws Exception {
    final Map<Measure, Long> measures = new EnumMap<>(Measure.class);
    final Map<Measure, Long> before = counters();
    try (Watch watch =
        new Watch(store, directory, benchmark, options.traffic().timeline() ? seconds : null)) {
      long start = System.nanoTime();
      work(benchmark, place, watch, measures);
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
    counters()
        .forEach(
            (measure, now) -> {
              if (now >= 0) {
                measures.put(measure, PRESENT.contains(measure) ? now : now - before.get(measure));
              }
            });
    measures.put(Measure.PEAK_RESIDENT_BYTES, ProcessFigures.peakResidentBytes());
    measures.put(
        Measure.LIVE_BYTES, (long) expected.count() * (BenchmarkKeys.BYTES + options.valueBytes()));
    return new CellResult(benchmark, measures);
  }

  private Map<Measure, Long> counters() throws Exception {
    Map<Measure, Long> counters = new EnumMap<>(store.counters());
    counters.putAll(ProcessFigures.now());
    return counters;
  }

  /** Returns the value bytes that one write gives to the store. A deletion gives its key alone. */
  private long acceptedValueBytes(Benchmark benchmark) {
    return benchmark.deletes() ? 0 : options.valueBytes();
  }

  private void work(Benchmark benchmark, int place, Watch watch, Map<Measure, Long> measures)
      throws Exception {
    if (benchmark.writes()) {
      Writing writing = new Writing(this, watch);
      writing.run(benchmark);
      measures.put(Measure.OPERATIONS, writing.done());
      measures.put(Measure.WRITES, writing.done());
      latencies(measures, writing.latencies());
    } else if (benchmark == Benchmark.COMPACT) {
      store.compact();
      measures.put(Measure.OPERATIONS, 1L);
    } else if (benchmark == Benchmark.SWITCHPOLICY) {
      store.policy(options.form().laterPolicy());
      measures.put(Measure.OPERATIONS, 1L);
    } else {
      read(benchmark, place, watch, measures);
    }
  }

  private void read(Benchmark benchmark, int place, Watch watch, Map<Measure, Long> measures)
      throws Exception {
    Reading reading = new Reading(this, watch);
    reading.run(benchmark, place);
    measures.put(Measure.OPERATIONS, reading.done());
    measures.put(Measure.FOUND, reading.found());
    measures.put(Measure.VALUES_CHECKED, reading.compared());
    latencies(measures, reading.latencies());
    if (benchmark.mixes()) {
      LatencyHistogram writes = reading.writeLatencies();
      measures.put(Measure.WRITES, writes.count());
      measures.put(Measure.WRITE_P50_NANOS, writes.nanosAt(0.5));
      measures.put(Measure.WRITE_P99_NANOS, writes.nanosAt(0.99));
      measures.put(Measure.WRITE_MAX_NANOS, writes.maxNanos());
    }
  }

  private static void latencies(Map<Measure, Long> measures, LatencyHistogram latencies) {
    if (latencies.count() > 0) {
      measures.put(Measure.P50_NANOS, latencies.nanosAt(0.5));
      measures.put(Measure.P99_NANOS, latencies.nanosAt(0.99));
      measures.put(Measure.P999_NANOS, latencies.nanosAt(0.999));
      measures.put(Measure.P9999_NANOS, latencies.nanosAt(0.9999));
      measures.put(Measure.MAX_NANOS, latencies.maxNanos());
    }
  }
}
