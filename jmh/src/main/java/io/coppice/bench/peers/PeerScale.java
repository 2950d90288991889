// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How large the loads are and how often each is measured. */
public enum PeerScale {
  /** Shows that all works, in the tests; its figures mean nothing. */
  TINY(
      6_000,
      256L << 10,
      2_000,
      2_000,
      200,
      50,
      12_000,
      64L << 10,
      12_000,
      64L << 10,
      6_000,
      0.1,
      300,
      1),
  /** At most 3 minutes; half of it is warm-up, so rates may not be quoted. */
  QUICK(
      250_000,
      320L << 10,
      50_000,
      50_000,
      3_000,
      200,
      50_000,
      64L << 10,
      50_000,
      64L << 10,
      8_000,
      1,
      5_000,
      1),
  /** At most 45 minutes where a {@link Probe} is nominal, longer by its slowness elsewhere. */
  STANDARD(
      10_000_000,
      13L << 20,
      2_000_000,
      600_000,
      120_000,
      3_000,
      1_920_000,
      96L << 10,
      9_500_000,
      2L << 20,
      480_000,
      2,
      1_000_000,
      3),
  /** Hours; what the goals are stated for. */
  FULL(
      50_000_000,
      64L << 20,
      20_000_000,
      20_000_000,
      2_000_000,
      50_000,
      50_000_000,
      2L << 20,
      50_000_000,
      4L << 20,
      12_500_000,
      60,
      10_000_000,
      3);

  private final int entries;
  private final long memtableBytes;
  private final int treeEntries;
  private final int javaEntries;
  private final int committedEntries;
  private final int syncedEntries;
  private final int smallEntries;
  private final long smallMemtableBytes;
  private final int delayedEntries;
  private final long delayedMemtableBytes;
  private final int updatedKeys;
  private final double readSeconds;
  private final int records;
  private final int rounds;

  PeerScale(
      int entries,
      long memtableBytes,
      int treeEntries,
      int javaEntries,
      int committedEntries,
      int syncedEntries,
      int smallEntries,
      long smallMemtableBytes,
      int delayedEntries,
      long delayedMemtableBytes,
      int updatedKeys,
      double readSeconds,
      int records,
      int rounds) {
    this.entries = entries;
    this.memtableBytes = memtableBytes;
    this.treeEntries = treeEntries;
    this.javaEntries = javaEntries;
    this.committedEntries = committedEntries;
    this.syncedEntries = syncedEntries;
    this.smallEntries = smallEntries;
    this.smallMemtableBytes = smallMemtableBytes;
    this.delayedEntries = delayedEntries;
    this.delayedMemtableBytes = delayedMemtableBytes;
    this.updatedKeys = updatedKeys;
    this.readSeconds = readSeconds;
    this.records = records;
    this.rounds = rounds;
  }

  /** The suite of a name. */
  public static Optional<PeerScale> find(String label) {
    return Arrays.stream(values()).filter(scale -> scale.label().equals(label)).findFirst();
  }

  /** What {@link #find} knows. */
  public static List<String> labels() {
    return Arrays.stream(values()).map(PeerScale::label).toList();
  }

  /** The suite's name. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Writes beside RocksDB. */
  int entries() {
    return entries;
  }

  long memtableBytes() {
    return memtableBytes;
  }

  /** Writes beside the quick ones of the stores that are written in Java or are trees. */
  int treeEntries() {
    return treeEntries;
  }

  /** Writes beside the slow ones. */
  int javaEntries() {
    return javaEntries;
  }

  /** Writes beside stores that commit each by itself. */
  int committedEntries() {
    return committedEntries;
  }

  /** Writes beside stores that sync each. */
  int syncedEntries() {
    return syncedEntries;
  }

  /** Writes where policies are compared, of unique keys. */
  int smallEntries() {
    return smallEntries;
  }

  /** Where policies are compared, so small that there are some thousand flushes. */
  long smallMemtableBytes() {
    return smallMemtableBytes;
  }

  /** Writes of unique keys where a policy that delays is compared, many for its levels to fill. */
  int delayedEntries() {
    return delayedEntries;
  }

  /** There bytes are to decide, and neither files nor plans. */
  long delayedMemtableBytes() {
    return delayedMemtableBytes;
  }

  /** Keys that are drawn four times as often as there are. */
  int updatedKeys() {
    return updatedKeys;
  }

  double readSeconds() {
    return readSeconds;
  }

  /** Of YCSB. */
  int records() {
    return records;
  }

  int rounds() {
    return rounds;
  }
}
