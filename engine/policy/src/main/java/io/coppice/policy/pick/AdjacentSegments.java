// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.Reason;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Adjacent segments of one run, without a gap.
 *
 * @param segments by ascending rank, never empty
 */
public record AdjacentSegments(PlanningView.PlacedRun run, List<SegmentFacts> segments) {

  /**
   * Returns the longest ranges of adjacent segments that the predicate accepts, by ascending rank.
   */
  static List<AdjacentSegments> of(PlanningView.PlacedRun run, Predicate<SegmentFacts> wanted) {
    List<SegmentFacts> segments = run.facts().segments();
    List<AdjacentSegments> stretches = new ArrayList<>();
    int start = 0;
    for (int i = 0; i <= segments.size(); i++) {
      if (i < segments.size() && wanted.test(segments.get(i))) {
        continue;
      }
      if (i > start) {
        stretches.add(new AdjacentSegments(run, segments.subList(start, i)));
      }
      start = i + 1;
    }
    return stretches;
  }

  /**
   * Returns a merge of these segments whose outputs take their place in the run; the order and the
   * number of runs stay the same.
   */
  public CandidatePlan merge(PlanningView view, Reason reason, MergeLimits limits) {
    List<PlacedSlice> slices = new ArrayList<>();
    for (SegmentFacts segment : segments) {
      slices.addAll(run.slices(segment));
    }
    return CandidatePlan.merge(view, slices, Target.join(run.level(), run.id()), reason, limits);
  }
}
