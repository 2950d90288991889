// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

/**
 * Figures of one policy in one phase of one round.
 *
 * @param rate judged operations per second, see {@link PhasesProcess}
 * @param rateOfAll operations per second of the whole phase, including the part before the judged
 *     one
 * @param p99Micros 99th percentile of the judged lookups and scans
 * @param longestWriteMillis longest write of the whole phase
 * @param settleSeconds time that merges need after the last operation of the phase
 * @param rung rung in force at the end; -1 for a policy without rungs
 */
record PhaseFigures(
    double rate,
    double rateOfAll,
    double p99Micros,
    double longestWriteMillis,
    double settleSeconds,
    int rung) {

  static final int NO_RUNG = -1;
}
