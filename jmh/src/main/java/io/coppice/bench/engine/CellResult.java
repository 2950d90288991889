// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.EnumMap;
import java.util.Map;

/** Measurements of one workload on one store; measures unknown to the store are missing. */
public record CellResult(Benchmark benchmark, Map<Measure, Long> measures) {

  private static final double NANOS = 1e9;

  public CellResult {
    measures = measures.isEmpty() ? Map.of() : new EnumMap<>(measures);
  }

  /** A figure; 0 if it was not measured. */
  public double of(Measure measure) {
    return measures.getOrDefault(measure, 0L);
  }

  /** Operations a second of their own time. */
  public double rate() {
    return of(Measure.OPERATIONS) * NANOS / of(Measure.OPERATION_NANOS);
  }

  /** Operations a second of their time and the wait after them. */
  public double settledRate() {
    return of(Measure.OPERATIONS) * NANOS / (of(Measure.OPERATION_NANOS) + of(Measure.WAIT_NANOS));
  }

  /** Bytes flushed and merged for each byte accepted; the log is apart. */
  public double writeAmplification() {
    return (of(Measure.FLUSHED_BYTES) + of(Measure.MERGED_BYTES)) / of(Measure.ACCEPTED_BYTES);
  }

  /** Returns whether the store reported a measure. */
  public boolean has(Measure measure) {
    return measures.containsKey(measure);
  }

  /** Bytes that the device was made to write for each byte accepted, the log included. */
  public double deviceAmplification() {
    return of(Measure.DEVICE_BYTES) / of(Measure.ACCEPTED_BYTES);
  }

  /** Bytes flushed and merged for each byte flushed. */
  public double flushAmplification() {
    return (of(Measure.FLUSHED_BYTES) + of(Measure.MERGED_BYTES)) / of(Measure.FLUSHED_BYTES);
  }
}
