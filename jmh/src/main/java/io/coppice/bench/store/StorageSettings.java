// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import io.coppice.bench.report.Records;

/**
 * Format and durability of the files of all stores in a run. A value.
 *
 * @param tableBytes table size of Coppice, and of RocksDB if {@code paper} is set; 0 for each
 *     store's own size
 * @param compression {@code none} or {@code lz4}
 * @param sync whether a write returns only once it is on the device
 * @param paper whether RocksDB has the settings of the papers: fixed level sizes, with five tables
 *     in the first level. Otherwise its level sizes follow the data, the first level has four
 *     memtables, and a table is as large as a memtable
 * @param filterBits filter bits per key; 0 for no filters
 * @param mergeBytesPerSecond limit of the write rate of all merges of Coppice; 0 for none
 * @param laterPolicy policy that {@link Benchmark#SWITCHPOLICY} changes to; empty for none
 */
public record StorageSettings(
    long tableBytes,
    String compression,
    boolean sync,
    boolean paper,
    int filterBits,
    long mergeBytesPerSecond,
    String laterPolicy) {

  private static final long MIN_TABLE_BYTES = 32L << 10;

  /** Returns a text that says whether the log is synced. */
  String log() {
    return sync ? "each write synced" : "log unsynced";
  }

  /**
   * Returns the same settings with the table size multiplied by a factor, but not below 32 KiB
   * unless the present size is.
   */
  StorageSettings scaled(double share) {
    long scaled = Math.max(Math.min(MIN_TABLE_BYTES, tableBytes), (long) (share * tableBytes));
    return Records.with(this, "tableBytes", scaled);
  }
}
