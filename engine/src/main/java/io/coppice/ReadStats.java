// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.SearchScheme;
import io.coppice.read.Latencies;
import io.coppice.read.ReadFigures;
import io.coppice.read.Searching;
import io.coppice.table.OpenTables;
import java.util.Arrays;
import java.util.Comparator;
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
 * @param falsePositives tables whose filter let a key pass that was not there, or not yet
 * @param batches times that blocks were read at once
 * @param batchReads blocks read so
 * @param wastedReads those of them whose answer was not needed
 * @param latencies how long single lookups took, for each scheme under which some were timed
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
    List<SchemeLatency> latencies,
    List<TableReads> hottest) {

  private static final int HOTTEST_TABLES = 10;

  /** Copies the lists. */
  public ReadStats {
    latencies = List.copyOf(latencies);
    hottest = List.copyOf(hottest);
  }

  static ReadStats of(Searching searching, OpenTables tables) {
    ReadFigures figures = searching.figures();
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
        Arrays.stream(SearchScheme.values())
            .map(scheme -> SchemeLatency.of(scheme, searching.latencies(scheme)))
            .filter(latency -> latency.timed() > 0)
            .toList(),
        // Looked at once: what lookups go on counting has no order.
        tables.all().stream()
            .map(table -> new TableReads(table.meta().number(), table.reads()))
            .filter(table -> table.reads() > 0)
            .sorted(Comparator.comparingLong(TableReads::reads).reversed())
            .limit(HOTTEST_TABLES)
            .toList());
  }

  /** Bytes read out of tables for each byte of a value found there; 0 if none was found. */
  public double readAmplification() {
    return foundBytes == 0 ? 0 : (double) blockBytes / foundBytes;
  }

  /**
   * How long single lookups took under a scheme, wherever the key was found.
   *
   * @param timed lookups that were timed, one in 64
   * @param p50Nanos within which half of them ended; an eighth too much at most
   * @param p99Nanos within which 99 in a hundred ended, likewise
   */
  public record SchemeLatency(SearchScheme scheme, long timed, long p50Nanos, long p99Nanos) {
    private static SchemeLatency of(SearchScheme scheme, Latencies latencies) {
      return new SchemeLatency(
          scheme, latencies.count(), latencies.nanos(0.5), latencies.nanos(0.99));
    }
  }

  /**
   * How often a table was asked.
   *
   * @param table the number of the table's file
   * @param reads lookups that asked it since the store was opened, by a sample of one in 16
   */
  public record TableReads(long table, long reads) {}
}
