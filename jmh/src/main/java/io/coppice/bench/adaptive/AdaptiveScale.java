// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How large a run is. Phases must last some dwells, or nothing is switched in them. */
enum AdaptiveScale {
  /** Shows that it works. */
  TINY(100_000, 400_000, 100_000, 1 << 20, 1, 1),
  SMALL(1_000_000, 8_000_000, 2_000_000, 4 << 20, 3, 3),
  LARGE(10_000_000, 60_000_000, 10_000_000, 16 << 20, 10, 3);

  /** Bytes of a value. */
  static final int VALUE_BYTES = 100;

  /** Entries that a walk passes. */
  static final int SCAN_ENTRIES = 20;

  private final int keys;
  private final int writes;
  private final int others;
  private final long memtableBytes;
  private final int dwellSeconds;
  private final int rounds;

  AdaptiveScale(
      int keys, int writes, int others, long memtableBytes, int dwellSeconds, int rounds) {
    this.keys = keys;
    this.writes = writes;
    this.others = others;
    this.memtableBytes = memtableBytes;
    this.dwellSeconds = dwellSeconds;
    this.rounds = rounds;
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

  /** Different keys. */
  int keys() {
    return keys;
  }

  /** Operations of a phase. */
  int operations(Phase phase) {
    return phase == Phase.WRITE ? writes : others;
  }

  long memtableBytes() {
    return memtableBytes;
  }

  /** Of the policy that follows the load, and what it averages over. */
  int dwellSeconds() {
    return dwellSeconds;
  }

  int rounds() {
    return rounds;
  }
}
