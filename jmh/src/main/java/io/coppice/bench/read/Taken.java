// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.workload.LatencyHistogram;
import java.util.Locale;

/**
 * Result of some clients over a period. A value.
 *
 * @param operations number of operations of all clients
 * @param seconds duration of the period
 * @param cpuNanos processor time of the whole process in the period
 * @param latencies latencies of single operations, in nanoseconds
 */
record Taken(long operations, double seconds, long cpuNanos, LatencyHistogram latencies) {

  static final Taken NOTHING = new Taken(0, 0, 0, new LatencyHistogram());

  private static final double NANOS_PER_MICRO = 1e3;

  /** Returns the combined result of this period and a later one. */
  Taken and(Taken later) {
    LatencyHistogram both = new LatencyHistogram();
    both.add(latencies);
    both.add(later.latencies);
    return new Taken(
        operations + later.operations, seconds + later.seconds, cpuNanos + later.cpuNanos, both);
  }

  double rate() {
    return operations / seconds;
  }

  double micros(double share) {
    return latencies.nanosAt(share) / NANOS_PER_MICRO;
  }

  /** Returns the figures in the form that {@link Samples} reads. */
  String text() {
    return String.format(
        Locale.ROOT,
        "rate=%.3f p50=%.3f p99=%.3f cpu=%.3f",
        rate(),
        micros(0.5),
        micros(0.99),
        cpuNanos / NANOS_PER_MICRO / operations);
  }
}
