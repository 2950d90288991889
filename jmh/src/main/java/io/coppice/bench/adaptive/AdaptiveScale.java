// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.workload.Keys;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * How large a run is. A way along the ladder takes some dwells, and should be over when a phase is
 * judged.
 */
enum AdaptiveScale {
  /** Shows that it works. */
  TINY(100_000, 1 << 20, 2, 1, 1),
  SMALL(2_000_000, 4 << 20, 45, 15, 3),
  /** 1 GB, and phases of 5 minutes that are judged from their second one. */
  LARGE(9_000_000, 16 << 20, 300, 60, 10);

  /** Bytes of a value. */
  static final int VALUE_BYTES = 100;

  /** Entries that a walk passes. */
  static final int SCAN_ENTRIES = 20;

  /** Exponent of the phase whose keys are not alike. */
  static final double ZIPF = 0.99;

  private final int keys;
  private final long memtableBytes;
  private final int phaseSeconds;
  private final int settlingSeconds;
  private final int dwellSeconds;

  AdaptiveScale(
      int keys, long memtableBytes, int phaseSeconds, int settlingSeconds, int dwellSeconds) {
    this.keys = keys;
    this.memtableBytes = memtableBytes;
    this.phaseSeconds = phaseSeconds;
    this.settlingSeconds = settlingSeconds;
    this.dwellSeconds = dwellSeconds;
  }

  static Optional<AdaptiveScale> find(String label) {
    return Arrays.stream(values()).filter(scale -> scale.label().equals(label)).findFirst();
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(AdaptiveScale::label).toList();
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Different keys, all of which are there from the first phase on. */
  int keys() {
    return keys;
  }

  /** Bytes of all keys with their values, each once. */
  long liveBytes() {
    return (long) keys * (Keys.BYTES + VALUE_BYTES);
  }

  long memtableBytes() {
    return memtableBytes;
  }

  /** How long a phase lasts. */
  long phaseNanos() {
    return TimeUnit.SECONDS.toNanos(phaseSeconds);
  }

  /** How much of it is over when it begins to be judged. */
  long settlingNanos() {
    return TimeUnit.SECONDS.toNanos(settlingSeconds);
  }

  /** For people. */
  String phases() {
    return phaseSeconds + " s each, judged from second " + settlingSeconds + " on";
  }

  /** Of the policy that follows the load, and what it averages over. */
  int dwellSeconds() {
    return dwellSeconds;
  }
}
