// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

/**
 * One row: what a paper claims, what the simulator predicts, and what was measured. A value.
 *
 * @param id of the experiment, never renamed
 * @param set what was run
 * @param ours figure of the policy that the paper proposes
 * @param peer the same of what it is compared with
 * @param measured the same in words
 * @param reason why the verdict is what it is; never empty
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

  /** Refuses empty cells. */
  Finding {
    for (String text : new String[] {id, set, claim, predicted, measured, reason}) {
      if (text.isBlank()) {
        throw new IllegalArgumentException("experiment " + id + " has an empty cell");
      }
    }
  }
}
