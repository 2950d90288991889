// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How large the experiments are. What decides write cost is the number of flushes; it is the
 * papers' from standard on.
 */
enum PaperScale {
  /** Shows that all works, in the tests. */
  TINY(4_000, 6_000, 64L << 10, 600, 2_000, 0.05, 1, 200),
  /** Minutes. */
  QUICK(60_000, 120_000, 64L << 10, 10_000, 40_000, 0.5, 3, 5_000),
  /** Most of an hour. */
  STANDARD(600_000, 1_300_000, 96L << 10, 100_000, 500_000, 4, 100, 100_000),
  /** Hours; the papers' own sizes. */
  PAPER(24_000_000, 50_000_000, 4L << 20, 1_000_000, 5_000_000, 60, 100, 1_000_000);

  private final int records;
  private final int entries;
  private final long memtableBytes;
  private final int keys;
  private final int operations;
  private final double seconds;
  private final int kills;
  private final int ycsbRecords;

  PaperScale(
      int records,
      int entries,
      long memtableBytes,
      int keys,
      int operations,
      double seconds,
      int kills,
      int ycsbRecords) {
    this.records = records;
    this.entries = entries;
    this.memtableBytes = memtableBytes;
    this.keys = keys;
    this.operations = operations;
    this.seconds = seconds;
    this.kills = kills;
    this.ycsbRecords = ycsbRecords;
  }

  static Optional<PaperScale> find(String label) {
    return Arrays.stream(values()).filter(scale -> scale.label().equals(label)).findFirst();
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(PaperScale::label).toList();
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Of 256 bytes, for delayed compaction. */
  int records() {
    return records;
  }

  /** Of 116 bytes, for groups and forests. */
  int entries() {
    return entries;
  }

  long memtableBytes() {
    return memtableBytes;
  }

  /** Of 1 KiB with their values, for leveled against tiered. */
  int keys() {
    return keys;
  }

  /** Of a mix of reads and writes. */
  int operations() {
    return operations;
  }

  /** Of a phase of reads. */
  double seconds() {
    return seconds;
  }

  /** Of processes in the middle of a merge. */
  int kills() {
    return kills;
  }

  int ycsbRecords() {
    return ycsbRecords;
  }
}
