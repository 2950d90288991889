// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.workload.Keys;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How large the suite's data are and how long it measures, if nothing else is said. */
enum ReadScale {
  /** Shows that all works; its figures mean nothing. */
  TINY(4L << 20, "4MiB", 200_000, 2L << 20, 0.25, 2, 0.25, 2, 4L << 20, 0),
  /** Minutes; enough to compare two states of the code. */
  SMALL(64L << 20, "16MiB", 1_000_000, 8L << 20, 1, 3, 3, 6, 2L << 30, 512L << 20),
  /** What is published. */
  LARGE(400L << 20, "64MiB", 5_000_000, 32L << 20, 3, 5, 5, 20, 3L << 30, 768L << 20);

  /** Candidate runs of a lookup where schemes are compared. */
  static final int RUNS = 17;

  /** Of each value in the runs; with its key ten to a block. */
  static final int RUN_VALUE_BYTES = 400;

  /** Of each value beside RocksDB, as in {@code db_bench}. */
  static final int HOT_VALUE_BYTES = 100;

  /** So that an entry has 100 bytes, of which the memory of filters is a share. */
  static final int SHORT_VALUE_BYTES = 100 - Keys.BYTES;

  private final long runBytes;
  private final String tableSize;
  private final int hotKeys;
  private final long hotMemtableBytes;
  private final double seconds;
  private final int rounds;
  private final double warmUpSeconds;
  private final int mostCycles;
  private final long groupedBytes;
  private final long groupBytes;

  ReadScale(
      long runBytes,
      String tableSize,
      int hotKeys,
      long hotMemtableBytes,
      double seconds,
      int rounds,
      double warmUpSeconds,
      int mostCycles,
      long groupedBytes,
      long groupBytes) {
    this.runBytes = runBytes;
    this.tableSize = tableSize;
    this.hotKeys = hotKeys;
    this.hotMemtableBytes = hotMemtableBytes;
    this.seconds = seconds;
    this.rounds = rounds;
    this.warmUpSeconds = warmUpSeconds;
    this.mostCycles = mostCycles;
    this.groupedBytes = groupedBytes;
    this.groupBytes = groupBytes;
  }

  static Optional<ReadScale> find(String label) {
    return Arrays.stream(values()).filter(scale -> scale.label().equals(label)).findFirst();
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(ReadScale::label).toList();
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Keys and values in each of the runs. */
  long runBytes() {
    return runBytes;
  }

  /** Keys in all runs together, each in one. */
  int runKeys() {
    return (int) (RUNS * runBytes / (Keys.BYTES + RUN_VALUE_BYTES));
  }

  /** Keys and values in all runs together. */
  long runsBytes() {
    return RUNS * runBytes;
  }

  /** A policy that leaves the runs alone. */
  String runsPolicy() {
    return "tiered,trigger=64,table_size=" + tableSize;
  }

  /** Keys beside RocksDB. */
  int hotKeys() {
    return hotKeys;
  }

  long hotMemtableBytes() {
    return hotMemtableBytes;
  }

  /** Keys and values beside RocksDB. */
  long hotBytes() {
    return (long) hotKeys * (Keys.BYTES + HOT_VALUE_BYTES);
  }

  double seconds() {
    return seconds;
  }

  int rounds() {
    return rounds;
  }

  /** Of each cell beside RocksDB, in which code is compiled: each is in a process that is new. */
  double warmUpSeconds() {
    return warmUpSeconds;
  }

  /** How often cold files are dropped at most while one side is measured; it takes its time. */
  int mostCycles() {
    return mostCycles;
  }

  /** Keys and values of a store that is read in a memory group. */
  long groupedBytes() {
    return groupedBytes;
  }

  /** Limit of the group that has a fourth of these, 0 for no group. */
  long groupBytes() {
    return groupBytes;
  }

  /** Keys of a store that is read in a memory group. */
  int groupedKeys() {
    return (int) (groupedBytes / (Keys.BYTES + RUN_VALUE_BYTES));
  }
}
