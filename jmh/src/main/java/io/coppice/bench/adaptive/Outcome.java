// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import java.util.Map;

/**
 * Results of one policy for the whole load in one round.
 *
 * @param phases figures by phase
 * @param processorSeconds that all phases took in all threads
 * @param writeAmplification bytes flushed and merged for each byte flushed, filling included
 * @param switches cost of its switches
 */
record Outcome(
    Map<Phase, PhaseFigures> phases,
    double processorSeconds,
    double writeAmplification,
    Switches switches) {

  /**
   * Cost of rung switches.
   *
   * @param count switches by the analyser
   * @param maxBytesOverLive the most that merges read for one, see {@link SwitchWatch}, as a share
   *     of live bytes
   * @param longestWaitMillis the longest operation around one; 0 if all were short
   */
  record Switches(int count, double maxBytesOverLive, double longestWaitMillis) {}

  Outcome {
    phases = Map.copyOf(phases);
  }

  /**
   * The geometric mean of the rates of all phases, each from its first second on, so with the ways
   * between rungs. Each phase weighs the same, and a policy that is faster in one by as much as it
   * is slower in another gains nothing. A sum of operations would say what the phase with the
   * shortest operations says, and little else.
   */
  double wholeRate() {
    double logs = phases.values().stream().mapToDouble(phase -> Math.log(phase.rateOfAll())).sum();
    return Math.exp(logs / phases.size());
  }
}
