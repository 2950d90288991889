// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import io.coppice.bench.node.PlanningMeterMXBean;

/** Arrangement of a table's SSTables in levels and over the token ring. */
enum Arrangement {

  /**
   * Arrangement after merges: from level 1 on one run per level, with SSTables that are at least
   * half full. Level sizes grow by a factor of four, and the rest is the deepest run. Level 0
   * receives flushes, and plans are carried out.
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

  /** Arrangement of unmerged flushes, each over the whole ring; plans are discarded. */
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

  /** Returns the length in bytes of the value in each of the eight rows of an SSTable. */
  int valueBytes() {
    return valueBytes;
  }

  /** Returns whether plans are carried out. */
  boolean carriedOut() {
    return carriedOut;
  }

  /**
   * Makes SSTables in this arrangement, the deepest level first.
   *
   * @param tables number of SSTables
   */
  abstract void make(PlanningMeterMXBean meter, int tables);
}
