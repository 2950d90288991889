// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.Reason;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Major compaction: all runs become one new run of the deepest level in use, at least level 1. If
 * an incomplete run has all other runs as sources, it continues. Otherwise a new run starts and
 * takes a former target as one more source. The work is done when one run is left whose tables do
 * not overlap.
 */
final class MajorCompaction {

  private MajorCompaction() {}

  /** Returns the remaining moves and merges; the stream is empty when the work is done. */
  static Stream<CandidatePlan> candidates(PlanningView view, MergeLimits limits) {
    List<PlanningView.PlacedRun> filled = view.nonEmptyRuns();
    if (filled.isEmpty() || (filled.size() == 1 && sorted(filled.get(0)))) {
      return Stream.of();
    }
    for (PlanningView.IncompleteRun incomplete : view.incompleteRuns()) {
      if (covers(incomplete, filled)) {
        Reason reason =
            Reason.ofNumbers(
                "major-continues",
                "major compaction, runs left: {runs}",
                incomplete.sources().size());
        return RunMerge.into(incomplete.run(), incomplete.sources(), reason)
            .candidates(view, limits);
      }
    }
    int deepest = Math.max(1, filled.get(filled.size() - 1).level());
    Reason reason = Reason.ofNumbers("major", "major compaction of {runs} runs", filled.size());
    return RunMerge.intoNewRun(deepest, filled, 2, reason).candidates(view, limits);
  }

  private static boolean covers(
      PlanningView.IncompleteRun incomplete, List<PlanningView.PlacedRun> filled) {
    Set<PlanningView.PlacedRun> reached = new HashSet<>(incomplete.sources());
    reached.add(incomplete.run());
    return reached.containsAll(filled);
  }

  private static boolean sorted(PlanningView.PlacedRun run) {
    List<PlacedSlice> slices = run.slices();
    return OverlapCluster.of(slices).size() == slices.size();
  }
}
