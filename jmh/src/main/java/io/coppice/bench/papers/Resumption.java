// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

/**
 * What became of merges that were killed and of two that were paused.
 *
 * @param kills processes that were killed in the middle of a merge
 * @param maxRewritten most tables that were written again after one of them
 * @param bound tables that may be
 * @param onDevice of the merge beside lookups that go to the device
 * @param inMemory of the merge beside lookups that find their blocks in memory
 */
record Resumption(int kills, double maxRewritten, double bound, Pauses onDevice, Pauses inMemory) {

  /** Tables that a pause made anyone write again. */
  double extraTables() {
    return Math.max(onDevice.extraTables(), inMemory.extraTables());
  }
}
