// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * Result of some clients over a period. A value.
 *
 * @param operations number of operations of all clients
 * @param seconds duration of the period
 * @param cpuNanos processor time of the whole process in the period
 * @param latencies latencies of single operations, in nanoseconds
 */
record Taken(long operations, double seconds, long cpuNanos, Histogram latencies) {

  static final Taken NOTHING = new Taken(0, 0, 0, histogram());

  /**
   * Largest latency in nanoseconds that the histogram records; slower operations count as this one.
   */
  static final long MAX_LATENCY_NANOS = 100_000_000_000L;

  private static final double NANOS_PER_MICRO = 1e3;

  static Histogram histogram() {
    return new Histogram(MAX_LATENCY_NANOS, 3);
  }

  /** Returns the combined result of this period and a later one. */
  Taken and(Taken later) {
    Histogram both = histogram();
    both.add(latencies);
    both.add(later.latencies);
    return new Taken(
        operations + later.operations, seconds + later.seconds, cpuNanos + later.cpuNanos, both);
  }

  double rate() {
    return operations / seconds;
  }

  double micros(double percentile) {
    return latencies.getValueAtPercentile(percentile) / NANOS_PER_MICRO;
  }

  /** Returns the figures in the form that {@link Samples} reads. */
  String text() {
    return String.format(
        Locale.ROOT,
        "rate=%.3f p50=%.3f p99=%.3f cpu=%.3f",
        rate(),
        micros(50),
        micros(99),
        cpuNanos / NANOS_PER_MICRO / operations);
  }
}
