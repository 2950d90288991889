// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import io.coppice.bench.report.DataTable;
import io.coppice.bench.report.Records;
import io.coppice.bench.workload.LoadShape;
import java.util.List;

/**
 * Size of a comparison.
 *
 * @param limitMinutes longest time of one run in minutes; a longer one is aborted
 */
public record Scale(
    String name, LoadShape load, NodeShape node, ReadShape reads, int limitMinutes) {

  /**
   * Settings of the node, the same for every strategy.
   *
   * @param tableMib target size of an SSTable in MiB, for strategies that have one
   * @param heapMib heap in MiB
   * @param quickCompiler whether the JVM uses only its first compiler, because start-up is most of
   *     a short run
   */
  public record NodeShape(int tableMib, int heapMib, boolean quickCompiler) {}

  /**
   * Numbers of reads in each part of a run.
   *
   * @param duringLoad point reads of live rows after every {@code everyFlushes}-th flush
   * @param everyFlushes flushes from one sample of reads to the next
   * @param points measured point reads of live rows, and as many of keys never written
   * @param scans measured scans of ten partitions
   * @param warmUp point reads before the first measured one
   * @param perSecondInMajor point reads of live rows per second during the major compaction
   * @param sampleRows least number of rows that each check reads
   */
  public record ReadShape(
      int duringLoad,
      int everyFlushes,
      int points,
      int scans,
      int warmUp,
      int perSecondInMajor,
      int sampleRows) {}

  /** Least number of rows in a check that makes a run valid. */
  public static final int ROWS_TO_VERIFY = 20_000;

  // A small share of what a node can answer.
  private static final int PACE = 250;

  /** Name of the scale of a comparison that names none. */
  static final String DEFAULT = "first";

  private record Line(
      int flushes,
      int operationsPerFlush,
      int valueBytes,
      int tableMib,
      int heapMib,
      boolean quickCompiler,
      int duringLoad,
      int everyFlushes,
      int points,
      int scans,
      int warmUp,
      int sampleRows,
      int limitMinutes) {

    private Scale scale(String name) {
      return new Scale(
          name,
          new LoadShape(flushes, operationsPerFlush, valueBytes),
          new NodeShape(tableMib, heapMib, quickCompiler),
          new ReadShape(duringLoad, everyFlushes, points, scans, warmUp, PACE, sampleRows),
          limitMinutes);
    }
  }

  /** All scales, from the smallest to the largest. */
  static final List<Scale> ALL =
      DataTable.columns(Line.class, "scales.txt").entrySet().stream()
          .map(line -> line.getValue().scale(line.getKey()))
          .toList();

  /** Returns this scale with another number of flushes. */
  Scale withFlushes(int flushes) {
    return Records.with(this, "load", Records.with(load, "flushes", flushes));
  }
}
