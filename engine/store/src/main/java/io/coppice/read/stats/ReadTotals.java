// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read.stats;

/**
 * Lookup statistics of a store since it was opened. Each key of a multi-get counts as one lookup. A
 * value; counters that change during the call may be of slightly different moments.
 *
 * @param lookups keys looked up, wherever they were found
 * @param tables tables searched because their filters did not exclude the key
 * @param blocks blocks read from tables for lookups, useful or not
 * @param blockBytes stored bytes of these blocks
 * @param foundBytes bytes of the values found in tables
 * @param truePositives filter checks that passed a key that was there
 * @param falsePositives filter checks that passed a key that was absent or not visible yet
 * @param batches reads of several blocks at once
 * @param batchReads blocks in these reads
 * @param wastedReads blocks among them that were not needed
 */
public record ReadTotals(
    long lookups,
    long tables,
    long blocks,
    long blockBytes,
    long foundBytes,
    long truePositives,
    long falsePositives,
    long batches,
    long batchReads,
    long wastedReads) {

  public static ReadTotals of(long[] counts) {
    return new ReadTotals(
        counts[ReadCounts.LOOKUPS],
        counts[ReadCounts.TABLES],
        counts[ReadCounts.BLOCKS],
        counts[ReadCounts.BLOCK_BYTES],
        counts[ReadCounts.FOUND_BYTES],
        counts[ReadCounts.TRUE_POSITIVES],
        counts[ReadCounts.FALSE_POSITIVES],
        counts[ReadCounts.BATCHES],
        counts[ReadCounts.BATCH_READS],
        counts[ReadCounts.WASTED_READS]);
  }
}
