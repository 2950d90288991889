// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.SearchScheme;
import io.coppice.read.LookupContext;
import io.coppice.read.stats.ConcurrentLatencyHistogram;
import io.coppice.read.stats.ReadTotals;
import io.coppice.table.OpenTables;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Lookup statistics of a store since it was opened. Each key of {@code getAll} counts as one
 * lookup. A value.
 *
 * @param lookups keys looked up, wherever they were found
 * @param tables tables searched because their filters did not exclude the key
 * @param blocks blocks read from tables, useful or not
 * @param blockBytes stored bytes of these blocks
 * @param foundBytes bytes of the values found in tables
 * @param truePositives filter checks that passed a key that was there
 * @param falsePositives filter checks that passed a key that was absent or not visible yet
 * @param batches reads of several blocks at once
 * @param batchReads blocks in these reads
 * @param wastedReads blocks among them that were not needed
 * @param latencies durations of single lookups, for each scheme with a timed lookup
 * @param hottest the tables searched most, at most ten, the hottest first
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

  /** Creates a value with copies of the lists. */
  public ReadStats {
    latencies = List.copyOf(latencies);
    hottest = List.copyOf(hottest);
  }

  static ReadStats of(LookupContext context, OpenTables tables) {
    ReadTotals figures = context.figures();
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
            .map(scheme -> SchemeLatency.of(scheme, context.latencies(scheme)))
            .filter(latency -> latency.timed() > 0)
            .toList(),
        // Sorts a copy of the counts, because running lookups change the originals.
        tables.all().stream()
            .map(table -> new TableReads(table.meta().number(), table.reads()))
            .filter(table -> table.reads() > 0)
            .sorted(Comparator.comparingLong(TableReads::reads).reversed())
            .limit(HOTTEST_TABLES)
            .toList());
  }

  /** Returns the bytes read from tables per byte of a value found there, or 0 if none was found. */
  public double readAmplification() {
    return foundBytes == 0 ? 0 : (double) blockBytes / foundBytes;
  }

  /**
   * Durations of single lookups under a scheme, wherever the key was found.
   *
   * @param timed lookups that were timed, one in 64
   * @param p50Nanos median, at most an eighth too high
   * @param p99Nanos 99th percentile, at most an eighth too high
   */
  public record SchemeLatency(SearchScheme scheme, long timed, long p50Nanos, long p99Nanos) {
    private static SchemeLatency of(SearchScheme scheme, ConcurrentLatencyHistogram latencies) {
      return new SchemeLatency(
          scheme, latencies.count(), latencies.nanos(0.5), latencies.nanos(0.99));
    }
  }

  /**
   * Searches of one table.
   *
   * @param table the number of the table's file
   * @param reads lookups that searched it since the store was opened, estimated from one in 16
   */
  public record TableReads(long table, long reads) {}
}
