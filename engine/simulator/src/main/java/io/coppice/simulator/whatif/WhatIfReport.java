// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.whatif;

/**
 * Result of a what-if simulation of a live store under a policy. Bytes are of tables; the log is
 * left out.
 *
 * @param flushes number of simulated flushes
 * @param flushedBytes bytes written by these flushes
 * @param mergedBytes bytes written by merges after the first flush
 * @param settleBytes bytes written by merges before the first flush: the policy's work on the
 *     present tables
 * @param mergeReadBytes bytes read by all merges
 * @param mergeWrittenBytes bytes written by all merges
 * @param runsMean runs that cover a key, mean over keys and over the second half of the flushes
 * @param spaceMean bytes on disk divided by bytes of distinct keys, mean over the second half of
 *     the flushes; the keys count as at least one flush
 * @param transientBytes largest temporary growth of the disk by a merge, in bytes
 * @param complete whether the simulation reached the last flush before its time ran out
 */
public record WhatIfReport(
    int flushes,
    long flushedBytes,
    long mergedBytes,
    long settleBytes,
    long mergeReadBytes,
    long mergeWrittenBytes,
    double runsMean,
    double spaceMean,
    long transientBytes,
    boolean complete) {

  /**
   * Returns the bytes flushed and merged per byte flushed, from the first flush on; NaN if there
   * was none.
   */
  public double writeAmplification() {
    return flushedBytes == 0 ? Double.NaN : (double) (flushedBytes + mergedBytes) / flushedBytes;
  }

  /**
   * Returns the bytes written by merges, divided by the bytes that they read; NaN without merges.
   */
  public double shrinkage() {
    return mergeReadBytes == 0 ? Double.NaN : (double) mergeWrittenBytes / mergeReadBytes;
  }
}
