// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import com.google.common.util.concurrent.MoreExecutors;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.DiskFiles;
import io.coppice.bench.store.Measure;
import io.coppice.bench.store.ProcessFigures;
import io.coppice.bench.store.TestedStore;
import io.coppice.bench.suite.ClientThreads;
import io.coppice.workload.LatencyHistogram;
import java.nio.file.Path;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Sampler of a store during a workload. It samples the directory every 100 ms, the write pressure
 * and the memory of the process every 500 ms and, if requested, the client operations of each
 * second.
 */
final class Watch implements AutoCloseable {

  private static final long SAMPLE_MILLIS = 100;
  private static final int SAMPLES_OF_SECOND = 10;

  /**
   * Number of directory samples per sample of write pressure and memory, which cost more processor
   * time.
   */
  private static final int SAMPLES_OF_PRESSURE = 5;

  private static final long END_SECONDS = 60;
  private static final double THOUSAND = 1000;

  /** Latencies of any thread since the last second. */
  private static final class Interval {
    private LatencyHistogram latencies = new LatencyHistogram();

    synchronized void record(long nanos) {
      latencies.record(nanos);
    }

    synchronized LatencyHistogram next() {
      LatencyHistogram ended = latencies;
      latencies = new LatencyHistogram();
      return ended;
    }
  }

  private final TestedStore store;
  private final Path directory;
  private final DiskFiles files;
  private final Benchmark benchmark;

  /** Receiver of the figures of each second; null for none. */
  private final Consumer<Second> seconds;

  private final Interval reads = new Interval();
  private final Interval writes = new Interval();
  private final ScheduledExecutorService sampler;

  // Of the sampling thread; read by others once it has ended.
  private long peakDisk;
  private long peakAnonymous;
  private double maxWritePressure;
  private TestedStore.Pressure pressure = TestedStore.Pressure.NONE;
  private long mergedBefore;
  private int samples;
  private Throwable failure;

  /** Begins to sample at once. */
  Watch(TestedStore store, Path directory, Benchmark benchmark, Consumer<Second> seconds) {
    this.store = store;
    this.directory = directory;
    this.files = new DiskFiles(directory);
    this.benchmark = benchmark;
    this.seconds = seconds;
    mergedBefore = store.pressure().mergedBytes();
    sampler = ClientThreads.timer("watch");
    sampler.scheduleAtFixedRate(this::sample, 0, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Records the latency of a lookup. */
  void read(long nanos) {
    if (seconds != null) {
      reads.record(nanos);
    }
  }

  /** Records the latency of a write. */
  void wrote(long nanos) {
    if (seconds != null) {
      writes.record(nanos);
    }
  }

  private void sample() {
    try {
      takeSample();
    } catch (RuntimeException e) {
      // One more would hide it; the first is thrown when watching ends.
      failure = failure == null ? e : failure;
    }
  }

  private void takeSample() {
    long disk = files.bytes();
    peakDisk = Math.max(peakDisk, disk);
    samples++;
    if (samples % SAMPLES_OF_PRESSURE == 0) {
      samplePressure();
    }
    if (seconds != null && samples % SAMPLES_OF_SECOND == 0) {
      LatencyHistogram read = reads.next();
      LatencyHistogram written = writes.next();
      seconds.accept(
          new Second(
              benchmark,
              samples / SAMPLES_OF_SECOND,
              read.count(),
              read.nanosAt(0.99),
              written.count(),
              written.nanosAt(0.99),
              pressure.mergedBytes() - mergedBefore,
              disk,
              pressure.writePressure()));
      mergedBefore = pressure.mergedBytes();
    }
  }

  private void samplePressure() {
    peakAnonymous = Math.max(peakAnonymous, ProcessFigures.anonymousBytes());
    pressure = store.pressure();
    maxWritePressure = Math.max(maxWritePressure, pressure.writePressure());
  }

  /** Stops sampling and stores the peaks and the final disk usage in the measures. */
  void end(java.util.Map<Measure, Long> measures) {
    close();
    takeSample();
    samplePressure();
    if (failure != null) {
      throw new IllegalStateException("watching failed", failure);
    }
    measures.put(Measure.PEAK_DISK_BYTES, peakDisk);
    measures.put(Measure.DISK_BYTES, DiskFiles.bytes(directory));
    measures.put(Measure.MAX_DEBT, Math.round(maxWritePressure * THOUSAND));
    measures.put(Measure.PEAK_ANONYMOUS_BYTES, peakAnonymous);
  }

  /** Stops sampling and discards the observations. */
  @Override
  public void close() {
    if (!MoreExecutors.shutdownAndAwaitTermination(sampler, END_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the sampler did not stop within " + END_SECONDS + " s");
    }
  }
}
