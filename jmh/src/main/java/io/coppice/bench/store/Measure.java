// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

/** Measures of a workload: operations, bytes and nanoseconds, as whole numbers. */
public enum Measure {
  OPERATIONS,
  /** Time of the operations alone. */
  OPERATION_NANOS,
  /** Time from the last operation until all flushes and merges have ended. */
  WAIT_NANOS,
  /** Bytes of the keys and values given to the store. */
  ACCEPTED_BYTES,
  /** Number of writes in a workload of reads and writes. */
  WRITES,
  FLUSHES,
  FLUSHED_BYTES,
  MERGED_BYTES,
  MERGE_READ_BYTES,
  /** Number of deferred merges. */
  DELAYS,
  /** Bytes of all tables at the end. */
  TABLE_BYTES,
  SORTED_RUNS,
  LOOKUPS,
  /** Number of tables that lookups read because their filters passed. */
  TABLES_ASKED,
  FOUND,
  VALUES_CHECKED,
  P50_NANOS,
  P99_NANOS,
  P999_NANOS,
  P9999_NANOS,
  MAX_NANOS,
  /** Median latency of the writes in a workload of reads and writes. */
  WRITE_P50_NANOS,
  WRITE_P99_NANOS,
  WRITE_MAX_NANOS,
  /** Total time that writers were throttled. */
  DELAYED_NANOS,
  /** Largest write pressure, in thousandths of the pressure that stops writers. */
  MAX_DEBT,
  /** Bytes of the newest keys and values at the end. */
  LIVE_BYTES,
  /** Peak bytes of the directory in samples every 100 ms, and at the end. */
  PEAK_DISK_BYTES,
  DISK_BYTES,
  /** Bytes that the process caused the device to write, including the log. */
  DEVICE_BYTES,
  /** Processor time of all threads of the process, including the wait for merges. */
  PROCESSOR_NANOS,
  ALLOCATED_BYTES,
  GC_COUNT,
  GC_MILLIS,
  /** Peak memory of the process to date, including mapped files. */
  PEAK_RESIDENT_BYTES,
  /** Peak memory of the process without memory that files back. */
  PEAK_ANONYMOUS_BYTES
}
