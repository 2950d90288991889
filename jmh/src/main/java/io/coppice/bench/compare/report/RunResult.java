// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import java.util.List;
import java.util.Map;

/**
 * Result of one strategy in one repeat. Parts that the run did not reach are null.
 *
 * @param majorOnly whether the run ended by plan after the major compaction
 * @param strategyClass class of the strategy according to the node; the requested class if the node
 *     reported none
 * @param repeat number of the repeat, from 1
 * @param cassandra version that the node reported; empty if it reported none
 * @param seconds duration of the run
 * @param phases times of the phases that ended
 * @param failure cause of an early end; null if the run was complete
 */
public record RunResult(
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

  public RunResult {
    checks = List.copyOf(checks);
    phases = Map.copyOf(phases);
  }

  /** Returns whether the run reached all requested parts. */
  boolean isWhole() {
    return load != null && (majorOnly || reads != null) && major != null;
  }

  /**
   * Returns the number of checks that the run should have made. It is one for a run that only loads
   * and compacts, three otherwise.
   */
  int checksDue() {
    return majorOnly ? 1 : 3;
  }

  /** Returns the number of rows in the check that read the fewest; 0 without a check. */
  public long rowsVerified() {
    return checks.stream().mapToLong(Figures.Check::total).min().orElse(0);
  }

  public long rowsWrong() {
    return checks.stream().mapToLong(Figures.Check::wrong).sum();
  }
}
