// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

/** What is counted while a workload runs: operations, bytes and nanoseconds, as whole numbers. */
enum Measure {
  OPERATIONS,
  /** Time of the operations alone. */
  OPERATION_NANOS,
  /** From the last operation until nothing is flushed or merged any more. */
  WAIT_NANOS,
  /** Keys and values given to the store. */
  ACCEPTED_BYTES,
  FLUSHES,
  FLUSHED_BYTES,
  MERGED_BYTES,
  /** Of all tables, at the end. */
  TABLE_BYTES,
  SORTED_RUNS,
  FOUND,
  VALUES_CHECKED,
  P50_NANOS,
  P99_NANOS,
  P999_NANOS,
  MAX_NANOS,
  /** Of all threads of the process, also while waiting. */
  PROCESSOR_NANOS,
  GC_COUNT,
  GC_MILLIS,
  /** The most memory the process had so far, mapped files included. */
  PEAK_RESIDENT_BYTES
}
