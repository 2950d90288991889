// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import io.coppice.bench.workload.LoadShape;
import java.util.List;

/**
 * How large a comparison is.
 *
 * @param limitMinutes one run that takes longer is broken off
 */
record Scale(String name, LoadShape load, NodeShape node, ReadShape reads, int limitMinutes) {

  /**
   * The node of every strategy.
   *
   * @param tableMib target size of an SSTable for strategies that have one
   * @param heapMib heap of the node
   * @param quickCompiler true if the node's compiler stops at its first tier: start-up is most of a
   *     short run
   */
  record NodeShape(int tableMib, int heapMib, boolean quickCompiler) {}

  /**
   * Numbers of reads.
   *
   * @param duringLoad point reads of live rows after every {@code everyFlushes}-th flush
   * @param points measured point reads of live rows; the same number of keys never written
   * @param scans measured short scans
   * @param warmUp point reads before the first measured one
   * @param perSecondInMajor point reads of live rows a second during the major compaction
   * @param sampleRows rows read back in each check, at least
   */
  record ReadShape(
      int duringLoad,
      int everyFlushes,
      int points,
      int scans,
      int warmUp,
      int perSecondInMajor,
      int sampleRows) {}

  /** Fewer rows read back than this prove too little. */
  static final int ROWS_TO_VERIFY = 20_000;

  private static final int HEAP_MIB = 1024;

  // A small share of what a node can answer.
  private static final int PACE = 250;

  /** The scale of a comparison that names none. */
  static final String DEFAULT = "first";

  /** From the smallest to the largest. */
  static final List<Scale> ALL =
      List.of(
          new Scale(
              "tiny",
              new LoadShape(70, 900, 400),
              new NodeShape(1, HEAP_MIB, true),
              new ReadShape(300, 8, 2_000, 300, 500, PACE, 20_000),
              10),
          new Scale(
              DEFAULT,
              new LoadShape(130, 700, 1_300),
              new NodeShape(1, HEAP_MIB / 2, true),
              new ReadShape(300, 8, 2_000, 300, 500, PACE, 20_000),
              10),
          new Scale(
              "small",
              new LoadShape(130, 1_000, 3_600),
              new NodeShape(1, HEAP_MIB, false),
              new ReadShape(1_000, 4, 6_000, 1_000, 1_000, PACE, 20_000),
              30),
          new Scale(
              "large",
              new LoadShape(150, 12_000, 4_000),
              new NodeShape(16, HEAP_MIB, false),
              new ReadShape(3_000, 6, 50_000, 5_000, 5_000, PACE, 100_000),
              120));

  /** The same with another number of flushes. */
  Scale withFlushes(int flushes) {
    LoadShape other = new LoadShape(flushes, load.operationsPerFlush(), load.valueBytes());
    return new Scale(name, other, node, reads, limitMinutes);
  }
}
