// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

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

  private final TestedStore store;
  private final Path directory;
  private final DiskFiles files;
  private final Benchmark benchmark;

  /** Receiver of the figures of each second; null for none. */
  private final Consumer<Second> seconds;

  private final Recorder reads;
  private final Recorder writes;
  private final ScheduledExecutorService sampler;

  // Of the sampling thread; read by others once it has ended.
  private long peakDisk;
  private long peakAnonymous;
  private double maxDebt;
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
    reads = seconds == null ? null : new Recorder(3);
    writes = seconds == null ? null : new Recorder(3);
    mergedBefore = store.pressure().mergedBytes();
    sampler =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "watch");
              thread.setDaemon(true);
              return thread;
            });
    sampler.scheduleAtFixedRate(this::sample, 0, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Records the latency of a lookup. */
  void read(long nanos) {
    if (reads != null) {
      reads.recordValue(nanos);
    }
  }

  /** Records the latency of a write. */
  void wrote(long nanos) {
    if (writes != null) {
      writes.recordValue(nanos);
    }
  }

  private void sample() {
    try {
      look();
    } catch (RuntimeException e) {
      // One more would hide it; the first is thrown when watching ends.
      failure = failure == null ? e : failure;
    }
  }

  private void look() {
    long disk = files.bytes();
    peakDisk = Math.max(peakDisk, disk);
    samples++;
    if (samples % SAMPLES_OF_PRESSURE == 0) {
      lookAtPressure();
    }
    if (seconds != null && samples % SAMPLES_OF_SECOND == 0) {
      Histogram read = reads.getIntervalHistogram();
      Histogram written = writes.getIntervalHistogram();
      seconds.accept(
          new Second(
              benchmark,
              samples / SAMPLES_OF_SECOND,
              read.getTotalCount(),
              read.getValueAtPercentile(99),
              written.getTotalCount(),
              written.getValueAtPercentile(99),
              pressure.mergedBytes() - mergedBefore,
              disk,
              pressure.debt()));
      mergedBefore = pressure.mergedBytes();
    }
  }

  private void lookAtPressure() {
    peakAnonymous = Math.max(peakAnonymous, ProcessFigures.anonymousBytes());
    pressure = store.pressure();
    maxDebt = Math.max(maxDebt, pressure.debt());
  }

  /** Stops sampling and stores the peaks and the final disk usage in the measures. */
  void end(java.util.Map<Measure, Long> measures) {
    close();
    look();
    lookAtPressure();
    if (failure != null) {
      throw new IllegalStateException("watching failed", failure);
    }
    measures.put(Measure.PEAK_DISK_BYTES, peakDisk);
    measures.put(Measure.DISK_BYTES, DiskFiles.bytes(directory));
    measures.put(Measure.MAX_DEBT, Math.round(maxDebt * THOUSAND));
    measures.put(Measure.PEAK_ANONYMOUS_BYTES, peakAnonymous);
  }

  /** Stops sampling and discards the observations. */
  @Override
  public void close() {
    sampler.shutdown();
    try {
      if (!sampler.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("watching does not end");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }
}
