// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

/** What is counted while a workload runs: operations, bytes and nanoseconds, as whole numbers. */
public enum Measure {
  OPERATIONS,
  /** Time of the operations alone. */
  OPERATION_NANOS,
  /** From the last operation until nothing is flushed or merged any more. */
  WAIT_NANOS,
  /** Keys and values given to the store. */
  ACCEPTED_BYTES,
  /** Of a mix, besides the reads. */
  WRITES,
  FLUSHES,
  FLUSHED_BYTES,
  MERGED_BYTES,
  MERGE_READ_BYTES,
  /** Merges put off. */
  DELAYS,
  /** Of all tables, at the end. */
  TABLE_BYTES,
  SORTED_RUNS,
  LOOKUPS,
  /** Tables that lookups asked, past their filters. */
  TABLES_ASKED,
  FOUND,
  VALUES_CHECKED,
  P50_NANOS,
  P99_NANOS,
  P999_NANOS,
  P9999_NANOS,
  MAX_NANOS,
  /** Of the writes of a mix. */
  WRITE_P50_NANOS,
  WRITE_P99_NANOS,
  WRITE_MAX_NANOS,
  /** Writers held back. */
  DELAYED_NANOS,
  /** Largest debt, in thousandths of the limit. */
  MAX_DEBT,
  /** Of the newest keys and values, at the end. */
  LIVE_BYTES,
  /** In the directory: the most, of samples each 100 ms, and at the end. */
  PEAK_DISK_BYTES,
  DISK_BYTES,
  /** That the process caused the device to write, the log included. */
  DEVICE_BYTES,
  /** Of all threads of the process, also while waiting. */
  PROCESSOR_NANOS,
  ALLOCATED_BYTES,
  GC_COUNT,
  GC_MILLIS,
  /** The most memory the process had so far, mapped files included. */
  PEAK_RESIDENT_BYTES,
  /** The most memory that is no file's. */
  PEAK_ANONYMOUS_BYTES
}
