// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/**
 * How near writers are to stopping for merges and flushes: a fraction that is 0 where nothing is
 * owed and 1 where they stop. Of merges, it is what level 0 has above its resting runs.
 */
public final class WriteDebt {

  /** Runs above the resting ones in level 0 at which writes wait for merges. */
  public static final int STOP_RUNS = 44;

  /** Up to 20 such runs are free; above that writers are held back. */
  public static final double FREE = 20.0 / STOP_RUNS;

  private WriteDebt() {}

  /** The debt of so many runs above the resting ones; 0 if there are fewer than those. */
  public static double ofRuns(long overdue) {
    return Math.max(0, (double) overdue / STOP_RUNS);
  }
}
