// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import java.util.Map;

/**
 * Results of one policy for the whole load in one round.
 *
 * @param phases figures by phase
 * @param processorSeconds processor time of all threads of the process in all phases
 * @param writeAmplification bytes flushed and merged for each byte flushed, filling included
 * @param switches cost of its rung switches
 */
record Outcome(
    Map<Phase, PhaseFigures> phases,
    double processorSeconds,
    double writeAmplification,
    Switches switches) {

  /**
   * Cost of the rung switches of one run.
   *
   * @param count switches that the tuner made
   * @param maxBytesOverLive most bytes that merges read because of one switch, see {@link
   *     SwitchWatch}, divided by the live bytes
   * @param longestWaitMillis longest operation near a switch; 0 if all were short
   */
  record Switches(int count, double maxBytesOverLive, double longestWaitMillis) {}

  Outcome {
    phases = Map.copyOf(phases);
  }

  /**
   * Returns the geometric mean of the rates of all phases. Each rate counts from the first second
   * of its phase and thus includes the moves between rungs. Each phase weighs the same: doubling
   * the rate of one phase and halving that of another gains nothing. A sum of operations would
   * mostly reflect the phase with the shortest operations.
   */
  double wholeRate() {
    double logs = phases.values().stream().mapToDouble(phase -> Math.log(phase.rateOfAll())).sum();
    return Math.exp(logs / phases.size());
  }
}
