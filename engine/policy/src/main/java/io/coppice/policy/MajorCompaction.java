// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

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

  /** Returns the remaining pieces; none when the work is done. */
  static Stream<CandidatePlan> wishes(PlanningView layout, MergeLimits limits) {
    List<PlanningView.PlacedRun> filled = layout.filledRuns();
    if (filled.isEmpty() || (filled.size() == 1 && sorted(filled.get(0)))) {
      return Stream.of();
    }
    for (PlanningView.Filling filling : layout.fillings()) {
      if (covers(filling, filled)) {
        Reason reason =
            Reason.of(
                "major-continues",
                "major compaction, runs left: {runs}",
                "runs",
                filling.sources().size());
        return RunMerge.into(filling.run(), filling.sources(), reason).wishes(layout, limits);
      }
    }
    int deepest = Math.max(1, filled.get(filled.size() - 1).level());
    Reason reason = Reason.of("major", "major compaction of {runs} runs", "runs", filled.size());
    return RunMerge.fresh(deepest, filled, 2, reason).wishes(layout, limits);
  }

  private static boolean covers(PlanningView.Filling filling, List<PlanningView.PlacedRun> filled) {
    Set<PlanningView.PlacedRun> reached = new HashSet<>(filling.sources());
    reached.add(filling.run());
    return reached.containsAll(filled);
  }

  private static boolean sorted(PlanningView.PlacedRun run) {
    List<PlacedSlice> slices = run.slices();
    return OverlapCluster.of(slices).size() == slices.size();
  }
}
