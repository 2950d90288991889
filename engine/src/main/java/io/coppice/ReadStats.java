// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.read.ReadFigures;
import java.util.List;

/**
 * What the lookups of a store did since it was opened; each key of {@code getAll} counts as one. A
 * value.
 *
 * @param lookups keys looked up, wherever they were found
 * @param tables tables that were asked, as their filters did not rule them out
 * @param blocks blocks read out of tables, also in vain
 * @param blockBytes bytes of these, as they are stored
 * @param foundBytes bytes of the values that were found in tables
 * @param truePositives tables whose filter let a key pass that was there
 * @param falsePositives tables whose filter let a key pass that was not there
 * @param batches times that blocks were read at once
 * @param batchReads blocks read so
 * @param wastedReads those of them whose answer was not needed
 * @param hottest the tables that were asked most, at most ten, the hottest first
 */
public record ReadStats(
    long lookups,
    long tables,
    long blocks,
    long blockBytes,
    long foundBytes,
    long truePositives,
    long falsePositives,
    long batches,
    long batchReads,
    long wastedReads,
    List<TableReads> hottest) {

  /** Copies the list. */
  public ReadStats {
    hottest = List.copyOf(hottest);
  }

  static ReadStats of(ReadFigures figures, List<TableReads> hottest) {
    return new ReadStats(
        figures.lookups(),
        figures.tables(),
        figures.blocks(),
        figures.blockBytes(),
        figures.foundBytes(),
        figures.truePositives(),
        figures.falsePositives(),
        figures.batches(),
        figures.batchReads(),
        figures.wastedReads(),
        hottest);
  }

  /** Bytes read out of tables for each byte of a value found there; 0 if none was found. */
  public double readAmplification() {
    return foundBytes == 0 ? 0 : (double) blockBytes / foundBytes;
  }

  /**
   * How often a table was asked.
   *
   * @param table the number of the table's file
   * @param reads lookups that asked it since the store was opened, by a sample of one in 16
   */
  public record TableReads(long table, long reads) {}
}
