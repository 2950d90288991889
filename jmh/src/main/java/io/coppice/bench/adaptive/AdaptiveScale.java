// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.bench.report.DataTable;
import io.coppice.workload.BenchmarkKeys;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Sizes and times of the suite {@code adaptive}: {@code tiny} is for tests, {@code small} takes
 * half an hour, {@code large} takes hours.
 *
 * @param settlingSeconds time at the start of each phase that is not judged, because the policy may
 *     still change
 * @param dwellSeconds least time between two rung switches
 */
record AdaptiveScale(
    String label,
    int keys,
    long memtableBytes,
    int phaseSeconds,
    int settlingSeconds,
    int dwellSeconds) {

  static final Map<String, AdaptiveScale> ALL =
      DataTable.columns(AdaptiveScale.class, "scales.txt");
  static final String DEFAULT = "small";

  static final int VALUE_BYTES = 100;

  /** Number of entries that one scan reads. */
  static final int SCAN_ENTRIES = 20;

  static final double ZIPF = 0.99;

  long liveBytes() {
    return (long) keys * (BenchmarkKeys.BYTES + VALUE_BYTES);
  }

  long phaseNanos() {
    return TimeUnit.SECONDS.toNanos(phaseSeconds);
  }

  long settlingNanos() {
    return TimeUnit.SECONDS.toNanos(settlingSeconds);
  }

  String phases() {
    return phaseSeconds + " s each, judged from second " + settlingSeconds + " on";
  }
}
