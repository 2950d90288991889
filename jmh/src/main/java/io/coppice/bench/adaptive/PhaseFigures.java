// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

/**
 * What one policy did in one phase of one round.
 *
 * @param rate operations a second that are judged, see {@link PhasesProcess}
 * @param rateOfAll the same of the whole phase, what comes before it is judged included
 * @param p99Micros what 99 of 100 lookups or walks did not exceed, of those that are judged
 * @param longestWriteMillis of the whole phase
 * @param settleSeconds what was left to merge at the end
 * @param rung in force at its end; -1 of a policy without
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
