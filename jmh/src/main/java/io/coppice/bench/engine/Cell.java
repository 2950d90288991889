// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.Draws;
import io.coppice.workload.Keys;
import io.coppice.workload.Values;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * One workload on one store. Every answer is checked for being there or not, every sixteenth value
 * byte by byte. Keys and values of an operation depend on the seed alone, so each store gets the
 * same ones.
 */
final class Cell {

  /** Told how far the cell is, often. */
  interface Watcher {
    void at(long done, long total);
  }

  private static final int VALUE_CHECK_MASK = 15;
  private static final int WATCH_MASK = (1 << 12) - 1;
  private static final int SEEK_STEPS = 10;

  /** Slower operations are recorded as this. */
  private static final long MAX_LATENCY_NANOS = 100_000_000_000L;

  private final TestedStore store;
  private final BenchOptions options;
  private final Values values;
  private final Expected expected;
  private final Watcher watcher;
  private final byte[] key = new byte[Keys.BYTES];
  private final Histogram latencies = new Histogram(MAX_LATENCY_NANOS, 3);
  private final Map<Measure, Long> measures = new EnumMap<>(Measure.class);

  /** Writes before this cell; numbers of writes go on from there. */
  private final int writesBefore;

  private long found;
  private long valuesChecked;

  Cell(
      TestedStore store,
      BenchOptions options,
      Values values,
      Expected expected,
      int writesBefore,
      Watcher watcher) {
    this.store = store;
    this.options = options;
    this.values = values;
    this.expected = expected;
    this.writesBefore = writesBefore;
    this.watcher = watcher;
  }

  CellResult run(Benchmark benchmark) {
    final TestedStore.Counters before = store.counters();
    final long cpuBefore = processorNanos();
    final long collectionsBefore = collections();
    final long collectionMillisBefore = collectionMillis();
    long start = System.nanoTime();
    final long operations =
        switch (benchmark) {
          case FILLSEQ -> write(null);
          case FILLRANDOM, OVERWRITE ->
              write(new Draws(options.seed() + writesBefore, options.entries()));
          case READRANDOM -> read(false);
          case READMISSING -> read(true);
          case SEEKRANDOM -> seek();
          case READSEQ -> scan();
          case COMPACT -> compact();
        };
    long end = System.nanoTime();
    measures.put(Measure.OPERATIONS, operations);
    measures.put(Measure.OPERATION_NANOS, end - start);
    if (benchmark.writes()) {
      store.settle();
      measures.put(Measure.WAIT_NANOS, System.nanoTime() - end);
      measures.put(Measure.ACCEPTED_BYTES, operations * (Keys.BYTES + options.valueBytes()));
    }
    TestedStore.Counters after = store.counters();
    measures.put(Measure.FLUSHES, after.flushes() - before.flushes());
    measures.put(Measure.FLUSHED_BYTES, after.flushedBytes() - before.flushedBytes());
    measures.put(Measure.MERGED_BYTES, after.mergedBytes() - before.mergedBytes());
    measures.put(Measure.TABLE_BYTES, after.tableBytes());
    measures.put(Measure.SORTED_RUNS, after.sortedRuns());
    measures.put(Measure.FOUND, found);
    measures.put(Measure.VALUES_CHECKED, valuesChecked);
    if (latencies.getTotalCount() > 0) {
      measures.put(Measure.P50_NANOS, latencies.getValueAtPercentile(50));
      measures.put(Measure.P99_NANOS, latencies.getValueAtPercentile(99));
      measures.put(Measure.P999_NANOS, latencies.getValueAtPercentile(99.9));
      measures.put(Measure.MAX_NANOS, latencies.getMaxValue());
    }
    measures.put(Measure.PROCESSOR_NANOS, processorNanos() - cpuBefore);
    measures.put(Measure.GC_COUNT, collections() - collectionsBefore);
    measures.put(Measure.GC_MILLIS, collectionMillis() - collectionMillisBefore);
    measures.put(Measure.PEAK_RESIDENT_BYTES, peakResidentBytes());
    return new CellResult(benchmark, measures);
  }

  /** Records the time since then, which is one operation with its check; returns what is now. */
  private long timed(long since) {
    long now = System.nanoTime();
    latencies.recordValue(Math.min(now - since, MAX_LATENCY_NANOS));
    return now;
  }

  private long write(Draws draws) {
    int total = options.entries();
    long last = System.nanoTime();
    for (int i = 0; i < total; i++) {
      int index = draws == null ? i : (int) draws.next();
      int write = writesBefore + i;
      Keys.write(key, index);
      store.put(key, values.pool(), values.position(write), values.length());
      expected.written(index, write);
      last = timed(last);
      if ((i & WATCH_MASK) == 0) {
        watcher.at(i, total);
      }
    }
    return total;
  }

  private long read(boolean missing) {
    Draws draws = new Draws(~options.seed(), options.entries());
    long total = options.reads();
    long last = System.nanoTime();
    for (long i = 0; i < total; i++) {
      int index = (int) draws.next();
      if (missing) {
        Keys.writeMissing(key, index);
      } else {
        Keys.write(key, index);
      }
      int length = store.get(key);
      check(index, missing, length, (i & VALUE_CHECK_MASK) == 0);
      last = timed(last);
      if ((i & WATCH_MASK) == 0) {
        watcher.at(i, total);
      }
    }
    return total;
  }

  private void check(int index, boolean missing, int length, boolean compareValue) {
    boolean present = !missing && expected.isPresent(index);
    if (present != length >= 0) {
      throw new WrongAnswerException(
          "key " + index + (missing ? "+1" : "") + (present ? " was not found" : " was found"));
    }
    if (!present) {
      return;
    }
    found++;
    if (length != values.length()) {
      throw new WrongAnswerException("key " + index + " has a value of " + length + " bytes");
    }
    if (compareValue) {
      valuesChecked++;
      int from = values.position(expected.lastWrite(index));
      if (!store.found(values.pool(), from, length)) {
        throw new WrongAnswerException("key " + index + " has another value");
      }
    }
  }

  private long seek() {
    Draws draws = new Draws(~options.seed(), options.entries());
    long total = Math.max(1, options.reads() / SEEK_STEPS);
    long last = System.nanoTime();
    for (long i = 0; i < total; i++) {
      int index = (int) draws.next();
      Keys.write(key, index);
      try (ReadSession.Scan scan = store.scan()) {
        scan.seek(key);
        int at = expected.nextPresent(index);
        checkAt(scan, at);
        for (int step = 0; step < SEEK_STEPS && at >= 0; step++) {
          scan.next();
          at = expected.nextPresent(at + 1);
          checkAt(scan, at);
        }
      }
      last = timed(last);
      if ((i & WATCH_MASK) == 0) {
        watcher.at(i, total);
      }
    }
    return total;
  }

  private long scan() {
    long total = expected.count();
    long seen = 0;
    try (ReadSession.Scan scan = store.scan()) {
      scan.first();
      for (int at = expected.nextPresent(0); at >= 0; at = expected.nextPresent(at + 1)) {
        checkAt(scan, at);
        if ((seen++ & WATCH_MASK) == 0) {
          watcher.at(seen, total);
        }
        scan.next();
      }
      checkAt(scan, -1);
    }
    return total;
  }

  /** The scan must stand on this key, or behind the last one for -1. */
  private void checkAt(ReadSession.Scan scan, int index) {
    long at = scan.valid() ? scan.index() : -1;
    if (at != index) {
      throw new WrongAnswerException("a scan stands on key " + at + " instead of " + index);
    }
    if (at < 0) {
      return;
    }
    found++;
    if ((found & VALUE_CHECK_MASK) == 0) {
      valuesChecked++;
      int from = values.position(expected.lastWrite(index));
      if (!scan.found(values.pool(), from, values.length())) {
        throw new WrongAnswerException("a scan finds another value at key " + index);
      }
    }
  }

  private long compact() {
    store.compact();
    return 1;
  }

  private static long processorNanos() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getProcessCpuTime()
        : 0;
  }

  private static long collections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .sum();
  }

  private static long collectionMillis() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
        .sum();
  }

  /** As Linux tells it; 0 elsewhere. */
  private static long peakResidentBytes() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
        if (line.startsWith("VmHWM:")) {
          return Long.parseLong(line.replaceAll("\\D", "")) << 10;
        }
      }
    } catch (java.io.IOException e) {
      return 0;
    }
    return 0;
  }
}
