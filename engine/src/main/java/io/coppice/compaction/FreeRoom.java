// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

/**
 * How many outputs a merge may write before it releases inputs, as long as there is room. The less
 * room is left, the fewer: down to one table, which costs a sync and an edit for every table, but
 * needs hardly more room than one table of each input run.
 */
final class FreeRoom {

  /** Merges leave so large a part of the free bytes to flushes and logs. */
  private static final int MERGES_SHARE = 2;

  private FreeRoom() {}

  /**
   * Outputs after which a step ends.
   *
   * @param planned at most so many, at least 1
   * @param freeBytes of the disk
   * @param merges how many share them, at least 1
   * @param runs runs of the inputs, of each of which one table waits at the place reached
   */
  static int outputsAStep(int planned, long freeBytes, int merges, int runs, long tableBytes) {
    long tables = freeBytes / MERGES_SHARE / merges / Math.max(1, tableBytes) - runs;
    return (int) Math.max(1, Math.min(planned, tables));
  }
}
