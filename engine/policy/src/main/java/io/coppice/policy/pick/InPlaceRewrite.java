// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.Reason;
import io.coppice.policy.Target;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * In-place rewrite: chosen slices become new tables inside their own runs, because the host knows
 * of entries that a rewrite removes. Adjacent segments form one merge, so that its outputs reach
 * full size; a segment that needs no rewrite, or is claimed, ends a merge. Coppice's own addition
 * to the policies.
 */
public final class InPlaceRewrite {

  private record Cause(String code, String sentence) {}

  private static final Cause RENEWAL =
      new Cause(
          "renewal", "rewriting {slices} slices of L{level} for what can be let go of in them");

  private static final Cause ENDED =
      new Cause("ended-values", "half of {slices} slices of L{level} or more is past its end");

  private static final Cause DELETIONS =
      new Cause(
          "idle-deletions", "deletions of {slices} slices of L{level} have nothing older below");

  private InPlaceRewrite() {}

  /**
   * Returns the merges that rewrite the clusters of the named slices, newest run first and by
   * ascending rank.
   *
   * @param slices ids of the slices to rewrite
   */
  static Stream<CandidatePlan> candidates(PlanningView view, Set<Long> slices, MergeLimits limits) {
    return LazyConcat.of(
        view.runs().stream(), run -> candidates(view, run, slices, limits, RENEWAL));
  }

  /**
   * Returns the merges of clusters that contain a mostly expired slice, newest run first and by
   * ascending rank. A merge takes whole clusters, so it also rewrites the slices beside that one.
   */
  public static Stream<CandidatePlan> ofEnded(PlanningView view, MergeLimits limits) {
    return LazyConcat.of(
        view.runs().stream().filter(run -> run.facts().hasEnded()),
        run -> candidates(view, run, ended(run), limits, ENDED));
  }

  /**
   * Returns the merges of a run's clusters that contain a slice whose deletions a rewrite leaves
   * out.
   *
   * @param slices ids of those slices
   */
  static Stream<CandidatePlan> ofDeletions(
      PlanningView view, PlanningView.PlacedRun run, Set<Long> slices, MergeLimits limits) {
    return slices.isEmpty() ? Stream.of() : candidates(view, run, slices, limits, DELETIONS);
  }

  private static Set<Long> ended(PlanningView.PlacedRun run) {
    Set<Long> ended = new HashSet<>();
    for (PlacedSlice slice : run.slices()) {
      if (slice.facts().mostlyEnded()) {
        ended.add(slice.facts().slice());
      }
    }
    return ended;
  }

  private static Stream<CandidatePlan> candidates(
      PlanningView view,
      PlanningView.PlacedRun run,
      Set<Long> slices,
      MergeLimits limits,
      Cause cause) {
    List<List<PlacedSlice>> stretches = new ArrayList<>();
    boolean open = false;
    for (OverlapCluster cluster : OverlapCluster.of(run.slices())) {
      boolean named = cluster.slices().stream().anyMatch(s -> slices.contains(s.facts().slice()));
      boolean renewed = named && !PlacedSlice.claimed(cluster.slices());
      if (renewed && !open) {
        stretches.add(new ArrayList<>());
      }
      if (renewed) {
        stretches.get(stretches.size() - 1).addAll(cluster.slices());
      }
      open = renewed;
    }
    return stretches.stream().map(stretch -> merge(view, run, stretch, limits, cause));
  }

  private static CandidatePlan merge(
      PlanningView view,
      PlanningView.PlacedRun run,
      List<PlacedSlice> slices,
      MergeLimits limits,
      Cause cause) {
    Reason reason =
        Reason.of(cause.code, cause.sentence, "slices", slices.size(), "level", run.level());
    return CandidatePlan.merge(view, slices, Target.join(run.level(), run.id()), reason, limits);
  }
}
