// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import java.util.List;
import java.util.Map;

/**
 * What became of one strategy in one repeat. Parts that were not reached are null.
 *
 * @param majorOnly true if the run was not asked for more than the major compaction
 * @param strategyClass the class in charge as the node said, or as asked if it never said
 * @param repeat from 1
 * @param phases times of the phases that ended
 * @param failure what ended the run early, null if nothing did
 */
record RunResult(
    Contender contender,
    int repeat,
    boolean majorOnly,
    String strategyClass,
    String cassandra,
    Figures.Load load,
    Figures.Reads reads,
    Figures.Major major,
    List<Figures.Check> checks,
    double seconds,
    Map<ComparisonProgress.Phase, Figures.PhaseTime> phases,
    String failure) {

  RunResult {
    checks = List.copyOf(checks);
    phases = Map.copyOf(phases);
  }

  /** True if all parts were reached that were asked for. */
  boolean isWhole() {
    return load != null && (majorOnly || reads != null) && major != null;
  }

  /** Checks that it has: after the load, after the major compaction, after a restart. */
  int checksDue() {
    return majorOnly ? 1 : 3;
  }

  /** Rows in the smallest check: every check reads at least these. */
  long rowsVerified() {
    return checks.stream().mapToLong(Figures.Check::total).min().orElse(0);
  }

  long rowsWrong() {
    return checks.stream().mapToLong(Figures.Check::wrong).sum();
  }
}
