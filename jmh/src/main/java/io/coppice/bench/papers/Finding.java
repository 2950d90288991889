// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

/**
 * The report's row about one experiment: the claim of a paper, the prediction of the simulator, and
 * the measurement. A value.
 *
 * @param id id of the experiment, never renamed
 * @param set setup of the experiment
 * @param claim claim of the paper in words
 * @param predicted prediction in words
 * @param ours figure of the policy that the paper proposes
 * @param peer figure of the policy that it is compared with
 * @param measured both figures in words
 * @param reason explanation of the verdict; never empty
 */
record Finding(
    String id,
    String set,
    String claim,
    String predicted,
    double ours,
    double peer,
    String measured,
    Verdict verdict,
    String reason) {

  Finding {
    for (String text : new String[] {id, set, claim, predicted, measured, reason}) {
      if (text.isBlank()) {
        throw new IllegalArgumentException("experiment " + id + " has an empty cell");
      }
    }
  }

  double ratio() {
    return ours / peer;
  }
}
