// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/**
 * What a simulation says of a living store under a policy. Bytes are of tables; the log is left
 * out.
 *
 * @param flushes simulated
 * @param flushedBytes bytes that these wrote
 * @param mergedBytes bytes that merges beside them wrote, those that come first left out
 * @param settleBytes bytes that merges wrote before the first of the flushes: what the policy wants
 *     done at once with what is there
 * @param mergeReadBytes bytes that all merges read
 * @param mergeWrittenBytes bytes that all merges wrote
 * @param runsMean runs over a key, mean over keys and over the second half of the flushes
 * @param spaceMean bytes on disk over bytes of distinct keys, mean likewise
 * @param transientBytes the most by which a merge filled the disk
 * @param complete false if time ran out before the last flush
 */
public record Forecast(
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

  /** Bytes flushed and merged for each byte flushed, once it has settled. */
  public double writeAmplification() {
    return flushedBytes == 0 ? Double.NaN : (double) (flushedBytes + mergedBytes) / flushedBytes;
  }

  /** Bytes that merges wrote for each that they read; not a number if there was none. */
  public double shrinkage() {
    return mergeReadBytes == 0 ? Double.NaN : (double) mergeWrittenBytes / mergeReadBytes;
  }
}
