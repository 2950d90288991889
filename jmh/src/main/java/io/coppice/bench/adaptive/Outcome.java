// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What one policy did with the whole load in one round.
 *
 * @param phases each
 * @param processorSeconds that all phases took in all threads
 * @param writeAmplification bytes flushed and merged for each byte flushed, filling included
 * @param switches what its switches cost
 */
record Outcome(
    Map<Phase, PhaseFigures> phases,
    double processorSeconds,
    double writeAmplification,
    Switches switches) {

  /**
   * What switches cost.
   *
   * @param count how many the analyser made
   * @param mostBytesOverLive the most that merges read for one, see {@link SwitchWatch}, as a share
   *     of live bytes
   * @param longestWaitMillis the longest operation around one; 0 if all were short
   */
  record Switches(int count, double mostBytesOverLive, double longestWaitMillis) {}

  /** Copies. */
  Outcome {
    phases = Map.copyOf(phases);
  }

  /**
   * The geometric mean of the rates that are judged: each phase weighs the same, and a policy that
   * is faster in one by as much as it is slower in another gains nothing. A sum of operations would
   * say what the phase with the shortest operations says, and little else.
   */
  double wholeRate() {
    return mean(PhaseFigures::rate);
  }

  /** The same of the rates of whole phases. */
  double wholeRateOfAll() {
    return mean(PhaseFigures::rateOfAll);
  }

  private double mean(ToDoubleFunction<PhaseFigures> rate) {
    double logs =
        phases.values().stream().mapToDouble(phase -> Math.log(rate.applyAsDouble(phase))).sum();
    return Math.exp(logs / phases.size());
  }
}
