// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.suite.DataTable;
import io.coppice.workload.BenchmarkKeys;
import java.util.Map;

/**
 * Sizes of the suite's data and its default times: tiny shows that all works, small compares two
 * states of the code, large is published.
 *
 * @param runBytes keys and values in each of the runs
 * @param tableSize target size of the tables of the runs
 * @param hotKeys keys beside RocksDB
 * @param warmUpSeconds warm-up of each cell beside RocksDB, for compilation
 * @param maxCycles how often cold files are dropped at most while one side is measured
 * @param groupedBytes keys and values of a store that is read in a memory group
 * @param groupBytes limit of the group that has a fourth of these, 0 for no group
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

  /** Factor of the data in a group that fits all data, because stores hold garbage. */
  private static final int ROOM = 3;

  /** Candidate runs of a lookup where schemes are compared. */
  static final int RUNS = 17;

  /** Value bytes in the runs. With their keys, ten entries fill a block. */
  static final int RUN_VALUE_BYTES = 400;

  /** Value bytes beside RocksDB, as in {@code db_bench}. */
  static final int HOT_VALUE_BYTES = 100;

  /** Value bytes of an entry of 100 bytes, the unit for the share of filter memory. */
  static final int SHORT_VALUE_BYTES = 100 - BenchmarkKeys.BYTES;

  /** Returns the keys in all runs together, each in one. */
  int runKeys() {
    return (int) (runsBytes() / (BenchmarkKeys.BYTES + RUN_VALUE_BYTES));
  }

  long runsBytes() {
    return RUNS * runBytes;
  }

  /** Returns a policy that leaves the runs alone. */
  String runsPolicy() {
    return "tiered,trigger=64,table_size=" + tableSize;
  }

  long hotBytes() {
    return (long) hotKeys * (BenchmarkKeys.BYTES + HOT_VALUE_BYTES);
  }

  /** Returns the keys of a store that is read in a memory group. */
  int groupedKeys() {
    return (int) (groupedBytes / (BenchmarkKeys.BYTES + RUN_VALUE_BYTES));
  }

  /** Returns the limit of a group with room for all data. */
  long fittingBytes() {
    return groupBytes + ROOM * groupedBytes;
  }

  /** Returns the memtables and block cache in a group, a fifth of the smaller group. */
  long storeBytes() {
    return Math.max(96L << 20, groupBytes / 24 * 5);
  }

  /** Returns the heap in a group, a fourth of the smaller group. */
  long heapBytes() {
    return Math.max(128L << 20, groupBytes / 4);
  }
}
