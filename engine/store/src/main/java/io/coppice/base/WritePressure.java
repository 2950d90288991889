// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/**
 * Write pressure: how near writers are to stopping for merges and flushes. At 0 they are far from
 * it, from 1 on they stop. For merges it is the number of runs in level 0 above the tolerated runs,
 * which the policy leaves there without a merge, divided by {@link #STOP_RUNS}.
 */
public final class WritePressure {

  /** Number of runs in level 0 above the tolerated runs that makes writers wait for merges. */
  public static final int STOP_RUNS = 44;

  /** Largest pressure without a delay of writers: 20 runs above the tolerated runs. */
  public static final double FREE = 20.0 / STOP_RUNS;

  private WritePressure() {}

  /**
   * Returns the pressure of a number of overdue runs, those in level 0 above the tolerated runs; 0
   * for a negative number.
   */
  public static double ofRuns(long overdue) {
    return Math.max(0, (double) overdue / STOP_RUNS);
  }
}
