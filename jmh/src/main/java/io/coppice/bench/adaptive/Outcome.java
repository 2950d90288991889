// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import java.util.List;
import java.util.Map;

/**
 * What one policy did with the whole load in one round.
 *
 * @param rates operations a second of each phase
 * @param wholeRate of all phases and what is merged after the last
 * @param processorSeconds that took in all threads
 * @param writeAmplification bytes flushed and merged for each byte flushed
 * @param rungs that were in force one after the other; empty of a policy that stays what it is
 */
record Outcome(
    Map<Phase, Double> rates,
    double wholeRate,
    double processorSeconds,
    double writeAmplification,
    List<Integer> rungs) {

  /** Copies. */
  Outcome {
    rates = Map.copyOf(rates);
    rungs = List.copyOf(rungs);
  }
}
