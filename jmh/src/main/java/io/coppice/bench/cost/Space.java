// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

/**
 * Disk usage of one store under one load, in bytes unless a name says otherwise.
 *
 * @param writeSeconds time until the last write has returned
 * @param settledSeconds time until the policy wants no more work
 * @param peak most bytes in the directory, in samples every 100 ms
 * @param live bytes in the directory at the end, without background work
 * @param transientPeak most bytes of table files in the directory that the current version does not
 *     name
 * @param bound bound that early cleaning promises for it: for each merge slot, the tables of a step
 *     and one of each run of a merge; 0 if early cleaning is off
 * @param runs most runs in one merge
 * @param writeAmplification bytes flushed and merged, divided by bytes flushed
 * @param mergeRate bytes per second read by the major compaction at the end
 * @param samples number of samples
 */
record Space(
    double writeSeconds,
    double settledSeconds,
    long peak,
    long live,
    long transientPeak,
    long bound,
    int runs,
    double writeAmplification,
    double mergeRate,
    int samples) {

  double peakOverLive() {
    return (double) peak / live;
  }
}
