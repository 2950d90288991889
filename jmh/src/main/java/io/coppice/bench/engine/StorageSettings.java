// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.suite.Records;

/**
 * Format and durability of a store's files. A value.
 *
 * @param tableBytes size of our tables, and in the papers' set-up of RocksDB's; 0 for each store's
 *     own, which in RocksDB does not follow the memtable
 * @param compression {@code none} or {@code lz4}
 * @param sync whether a write is on the device before it returns
 * @param paper whether RocksDB is set up as in the papers: levels of fixed sizes, the first of five
 *     tables; else their sizes follow the data, the first of four memtables, tables as large as one
 * @param filterBits bits a key; 0 for no filters
 * @param mergeBytesPerSecond limit of all merges of Coppice; 0 for none
 * @param laterPolicy target of {@code switchpolicy}; empty for none
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

  /** Returns whether the log is synced, in words. */
  String log() {
    return sync ? "each write synced" : "log unsynced";
  }

  /** Returns the same settings with our tables scaled by a share. */
  StorageSettings scaled(double share) {
    long scaled = Math.max(Math.min(MIN_TABLE_BYTES, tableBytes), (long) (share * tableBytes));
    return Records.with(this, "tableBytes", scaled);
  }
}
