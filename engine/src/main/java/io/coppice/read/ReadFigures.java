// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

/**
 * What the lookups of a store did since it was opened. Each key of a lookup of many counts as one.
 * A value; numbers that change while it is made are of slightly different moments.
 *
 * @param lookups keys looked up, wherever they were found
 * @param tables tables that were asked, as their filters did not rule them out
 * @param blocks blocks that were read out of tables for lookups, also in vain
 * @param blockBytes bytes of these, as they are stored
 * @param foundBytes bytes of the values that were found in tables
 * @param truePositives tables whose filter let a key pass that was there
 * @param falsePositives tables whose filter let a key pass that was not there, or not yet
 * @param batches times that blocks were read at once
 * @param batchReads blocks read so
 * @param wastedReads those of them whose answer was not needed
 */
public record ReadFigures(
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

  static ReadFigures of(long[] counts) {
    return new ReadFigures(
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
