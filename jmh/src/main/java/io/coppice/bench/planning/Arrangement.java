// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.planning;

import io.coppice.bench.node.PlanningMeterMXBean;

/** How the SSTables of a table lie. */
enum Arrangement {

  /**
   * The shape after merges: from level 1 on one run per level, with at least half full SSTables and
   * sizes that grow by four; the rest is the deepest run. Level 0 receives flushes, and plans are
   * executed.
   */
  ORDERED(76 << 10, true) {
    @Override
    void make(PlanningMeterMXBean meter, int tables) {
      int deepest = 1;
      int above = 0;
      for (int run = GROWTH; above + run < tables && deepest < DEEPEST_LEVEL; run *= GROWTH) {
        above += run;
        deepest++;
      }
      meter.makeRun(tables - above, deepest);
      for (int level = deepest - 1; level > 0; level--) {
        meter.makeRun(1 << 2 * level, level);
      }
    }
  },

  /** Unmerged flushes over the whole ring; plans are dropped. */
  OVERLAPPING(16, false) {
    @Override
    void make(PlanningMeterMXBean meter, int tables) {
      for (int i = 0; i < tables; i++) {
        meter.makeRun(1, 0);
      }
    }
  };

  private static final int GROWTH = 4;
  private static final int DEEPEST_LEVEL = 8;

  private final int valueBytes;
  private final boolean carriedOut;

  Arrangement(int valueBytes, boolean carriedOut) {
    this.valueBytes = valueBytes;
    this.carriedOut = carriedOut;
  }

  /** Returns the value bytes of each of the eight rows of an SSTable. */
  int valueBytes() {
    return valueBytes;
  }

  /** Returns whether plans are executed. */
  boolean carriedOut() {
    return carriedOut;
  }

  /** Makes the given number of SSTables, deepest first. */
  abstract void make(PlanningMeterMXBean meter, int tables);
}
