// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

/**
 * What one store took of the disk under one load, in bytes unless a name says otherwise.
 *
 * @param writeSeconds until the last write had returned
 * @param settledSeconds until the policy wanted nothing more
 * @param peak most bytes in the directory, of samples taken every 100 ms
 * @param live bytes in the directory once all was settled
 * @param transientPeak most bytes of tables beyond those of the version of the same moment
 * @param bound what early cleaning promises for it: for each merge slot as many tables as a step
 *     makes and as there are runs in a merge; 0 if it is off
 * @param runs most runs in one merge
 * @param writeAmplification bytes flushed and merged over bytes flushed
 * @param mergeRate bytes a second that one last merge of everything read
 * @param samples how many were taken
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
