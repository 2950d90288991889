// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

/**
 * Results of killed merges and of two paused merges.
 *
 * @param kills processes that were killed in the middle of a merge
 * @param maxRewritten most tables that were written again after one of them
 * @param bound largest permitted number of these tables
 * @param onDevice the merge beside lookups that read from the device
 * @param inMemory the merge beside lookups with blocks in memory
 */
record Resumption(int kills, double maxRewritten, double bound, Pauses onDevice, Pauses inMemory) {

  /**
   * Returns the number of tables that a pause caused to be written again, the larger of both
   * results.
   */
  double extraTables() {
    return Math.max(onDevice.extraTables(), inMemory.extraTables());
  }
}
