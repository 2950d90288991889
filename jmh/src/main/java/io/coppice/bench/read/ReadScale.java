// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.report.DataTable;
import io.coppice.workload.BenchmarkKeys;
import java.util.Map;

/**
 * Sizes of the suite's data and its default durations: {@code tiny} tests that everything works,
 * {@code small} compares two states of the code, {@code large} is published.
 *
 * @param runBytes bytes of keys and values in each run of {@link Dataset#RUNS}
 * @param tableSize target table size of these runs
 * @param hotKeys number of keys in comparisons with RocksDB
 * @param hotMemtableBytes memtable size in comparisons with RocksDB
 * @param warmUpSeconds warm-up of each measurement in comparison with RocksDB, for compilation
 * @param maxCycles most times that files are evicted while one cold side is measured
 * @param groupedBytes bytes of keys and values of a store that is read in a memory group
 * @param groupBytes limit of the group with room for a fourth of these; 0 for no group
 */
record ReadScale(
    String label,
    long runBytes,
    String tableSize,
    int hotKeys,
    long hotMemtableBytes,
    double seconds,
    int rounds,
    double warmUpSeconds,
    int maxCycles,
    long groupedBytes,
    long groupBytes) {

  static final Map<String, ReadScale> ALL = DataTable.columns(ReadScale.class, "scales.txt");
  static final String DEFAULT = "small";

  /**
   * Memory of a group with room for all data, as a multiple of the data, because stores hold
   * garbage too.
   */
  private static final int ROOM = 3;

  /** Number of runs that may hold the key of a lookup in {@link Dataset#RUNS}. */
  static final int RUNS = 17;

  /**
   * Length of a value in {@link Dataset#RUNS} in bytes. With their keys, ten entries fill a block.
   */
  static final int RUN_VALUE_BYTES = 400;

  /** Length of a value in comparisons with RocksDB in bytes, as in {@code db_bench}. */
  static final int HOT_VALUE_BYTES = 100;

  /**
   * Length of a value in an entry of 100 bytes, the size that the share of filter memory refers to.
   */
  static final int SHORT_VALUE_BYTES = 100 - BenchmarkKeys.BYTES;

  /**
   * Returns the number of keys in all runs of {@link Dataset#RUNS} together; each is in one of
   * them.
   */
  int runKeys() {
    return (int) (runsBytes() / (BenchmarkKeys.BYTES + RUN_VALUE_BYTES));
  }

  long runsBytes() {
    return RUNS * runBytes;
  }

  /** Returns a policy that never merges the runs of {@link Dataset#RUNS}. */
  String runsPolicy() {
    return "tiered,trigger=64,table_size=" + tableSize;
  }

  long hotBytes() {
    return (long) hotKeys * (BenchmarkKeys.BYTES + HOT_VALUE_BYTES);
  }

  /** Returns the number of keys of a store that is read in a memory group. */
  int groupedKeys() {
    return (int) (groupedBytes / (BenchmarkKeys.BYTES + RUN_VALUE_BYTES));
  }

  /** Returns the limit in bytes of a group with room for all data. */
  long fittingBytes() {
    return groupBytes + ROOM * groupedBytes;
  }

  /** Returns the bytes of memtables and block cache in a group: a fifth of the smaller group. */
  long storeBytes() {
    return Math.max(96L << 20, groupBytes / 24 * 5);
  }

  /** Returns the heap size in a group, in bytes: a fourth of the smaller group. */
  long heapBytes() {
    return Math.max(128L << 20, groupBytes / 4);
  }
}
