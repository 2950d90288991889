// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

/**
 * Results of killed merges and of two paused merges.
 *
 * @param kills number of processes killed during a merge
 * @param maxRewritten most tables that were written again after one kill
 * @param bound largest allowed number of these tables
 * @param onDevice results of a paused merge while lookups read from the device
 * @param inMemory results of a paused merge while lookups find blocks in memory
 */
record Resumption(int kills, double maxRewritten, double bound, Pauses onDevice, Pauses inMemory) {

  /**
   * Returns the number of tables written beyond those of a merge without pauses, the larger of the
   * two results.
   */
  double extraTables() {
    return Math.max(onDevice.extraTables(), inMemory.extraTables());
  }
}
