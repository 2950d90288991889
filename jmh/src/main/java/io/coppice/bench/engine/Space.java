// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

/**
 * Disk usage of one store under one load, in bytes unless a name says otherwise.
 *
 * @param writeSeconds until the last write had returned
 * @param settledSeconds until the policy wants no more work
 * @param peak most bytes in the directory, of samples taken every 100 ms
 * @param live bytes in the directory once all was settled
 * @param transientPeak most bytes of tables beyond those of the version of the same moment
 * @param bound promise of early cleaning: for each merge slot the tables of a step and the runs of
 *     a merge; 0 if cleaning is off
 * @param runs most runs in one merge
 * @param writeAmplification bytes flushed and merged over bytes flushed
 * @param mergeRate bytes a second that one last merge of everything read
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
