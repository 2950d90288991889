// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.MergeRule;
import io.coppice.policy.Reason;
import io.coppice.policy.pick.CandidatePlan;
import io.coppice.policy.pick.DeletionPicker;
import io.coppice.policy.pick.InPlaceRewrite;
import io.coppice.policy.pick.LazyConcat;
import io.coppice.policy.pick.MergeLimits;
import io.coppice.policy.pick.OverlapCluster;
import io.coppice.policy.pick.PlacedSlice;
import io.coppice.policy.pick.PlanningView;
import io.coppice.policy.pick.PrioritizedPolicy;
import io.coppice.policy.pick.RunMerge;
import io.coppice.policy.pick.SmallTablePicker;
import io.coppice.policy.pick.TombstoneDropPicker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Grouped levels (Zhang et al., ICPADS 2016; stepped merge). A level holds groups, and a group is a
 * run. Once the complete oldest groups of a level reach the configured number, all of them become
 * one new group of the next level. The merge rewrites all inputs, overlapping or not, and leaves
 * the next level alone; these merges therefore write each byte exactly once per level.
 *
 * <p>With {@code last_level_leveled} (lazy leveling, Dostoevsky), the groups of the level above the
 * deepest are merged with the contents of the deepest. Once the deepest level holds at least {@code
 * groups} times the bytes of those groups, it first moves one level deeper.
 *
 * <p>Stateless: the shape shows the incomplete group and its sources. Under {@link MergeRule#FREE}
 * it does not, and a cluster goes down once its overlap depth reaches the number of groups.
 * Immutable.
 */
public final class GroupedPolicy implements PrioritizedPolicy {

  private final int groups;
  private final boolean lastLevelLeveled;
  private final MergeLimits limits;

  /**
   * Creates a grouped policy.
   *
   * @param groups groups of a level that become one of the next, at least 2
   * @param lastLevelLeveled whether the deepest level is kept as one run
   * @param limits limits of every merge; the groups of the deepest level become one group of the
   *     same level
   */
  public GroupedPolicy(int groups, boolean lastLevelLeveled, MergeLimits limits) {
    this.groups = groups;
    this.lastLevelLeveled = lastLevelLeveled;
    this.limits = limits;
  }

  @Override
  public MergeLimits limits() {
    return limits;
  }

  @Override
  public Stream<CandidatePlan> candidates(PlanningView view, long transientBytes) {
    return CandidatePlan.concat(
        List.of(
            () -> TombstoneDropPicker.candidates(view),
            () ->
                LazyConcat.of(
                    IntStream.range(0, view.levels()).boxed(),
                    level -> level(view, level, transientBytes)),
            () -> DeletionPicker.ofRuns(view, limits, transientBytes),
            () -> DeletionPicker.inPlace(view, limits),
            () -> InPlaceRewrite.ofEnded(view, limits),
            () ->
                SmallTablePicker.settledCandidates(
                    view, limits, Math.max(groups, SmallTablePicker.MIN_NEIGHBOURS))));
  }

  private Stream<CandidatePlan> level(PlanningView view, int level, long transientBytes) {
    Stream<CandidatePlan> continued =
        LazyConcat.of(
            view.incompleteRuns().stream().filter(incomplete -> incomplete.run().level() == level),
            incomplete -> {
              RunMerge join = RunMerge.continued(incomplete);
              return lastLevelLeveled && level == deepest(view)
                  ? join.withinSpace(view, limits, transientBytes)
                  : join.rewriting(view, limits, transientBytes);
            });
    return Stream.concat(continued, due(view, level, transientBytes));
  }

  private Stream<CandidatePlan> due(PlanningView view, int level, long transientBytes) {
    List<PlanningView.PlacedRun> complete = view.oldestComplete(level);
    boolean last = level >= limits.maxLevel();
    if (complete.size() < groups || (last && complete.size() < view.nonEmptyRuns(level).size())) {
      return Stream.of();
    }
    Reason reason =
        Reason.ofNumbers(
            "groups-reached",
            "L{level} has {groups} groups, {limit} become one",
            level,
            complete.size(),
            groups);
    if (lastLevelLeveled && level + 1 == deepest(view)) {
      return intoTheLast(view, complete, reason, transientBytes);
    }
    RunMerge join = RunMerge.intoNewRun(last ? level : level + 1, complete, minDepth(view), reason);
    return shrunk(
        view,
        complete.size(),
        some -> join.ofOldestSources(view, some).rewriting(view, limits, transientBytes),
        transientBytes);
  }

  /**
   * Returns the merge of groups with the deepest level, or the move of that level one level deeper
   * if it is full.
   *
   * @param complete the groups that are due, newest first
   */
  private Stream<CandidatePlan> intoTheLast(
      PlanningView view,
      List<PlanningView.PlacedRun> complete,
      Reason reason,
      long transientBytes) {
    int deepest = deepest(view);
    List<PlanningView.PlacedRun> last = view.oldestComplete(deepest);
    if (last.size() < view.nonEmptyRuns(deepest).size()) {
      return Stream.of();
    }
    long[] bytes = dueAndLastBytes(view, complete, last);
    if (deepest < limits.maxLevel() && bytes[1] / groups >= bytes[0]) {
      Reason full =
          Reason.ofNumbers(
              "last-level-full",
              "L{level} has {last} bytes, {limit} times the {bytes} bytes due to it",
              deepest,
              bytes[1],
              groups,
              bytes[0]);
      return RunMerge.intoNewRun(deepest + 1, last, 2, full).candidates(view, limits);
    }
    return shrunk(
        view,
        complete.size() + 1,
        oldest -> {
          List<PlanningView.PlacedRun> sources = new ArrayList<>(oldest(complete, oldest - 1));
          sources.addAll(last);
          return RunMerge.intoNewRun(deepest, sources, minDepth(view), reason)
              .candidates(view, limits);
        },
        transientBytes);
  }

  /**
   * Returns the candidates of a job on as many runs as the transient space allows. Under FREE the
   * job is not reduced, because one cluster can be the whole job.
   *
   * @param width runs of the whole job
   * @param job returns the candidates of the job on the given number of runs
   */
  private static Stream<CandidatePlan> shrunk(
      PlanningView view, int width, IntFunction<Stream<CandidatePlan>> job, long transientBytes) {
    return view.adjacent()
        ? CandidatePlan.shrunkToSpace(true, width, job, transientBytes)
        : job.apply(width);
  }

  /**
   * Returns the least overlap depth of a cluster to merge. Under FREE overlap is the only sign of
   * groups.
   */
  private int minDepth(PlanningView view) {
    return view.adjacent() ? 2 : groups;
  }

  private static List<PlanningView.PlacedRun> oldest(
      List<PlanningView.PlacedRun> runs, int number) {
    return runs.subList(runs.size() - number, runs.size());
  }

  /**
   * Returns two sums of bytes that the merge with the last level reads: of the groups that are due,
   * then of the last level.
   */
  private long[] dueAndLastBytes(
      PlanningView view, List<PlanningView.PlacedRun> due, List<PlanningView.PlacedRun> last) {
    List<PlanningView.PlacedRun> all = new ArrayList<>(due);
    all.addAll(last);
    long[] bytes = new long[2];
    int lastLevel = last.get(0).level();
    List<PlacedSlice> slices = PlanningView.slicesOf(all);
    List<PlacedSlice> met = view.adjacent() ? slices : new ArrayList<>();
    if (!view.adjacent()) {
      for (OverlapCluster cluster : OverlapCluster.of(slices)) {
        if (cluster.depth() >= groups) {
          met.addAll(cluster.slices());
        }
      }
    }
    for (PlacedSlice slice : met) {
      bytes[slice.level() == lastLevel ? 1 : 0] += slice.bytes();
    }
    return bytes;
  }

  /** Returns the deepest level that has a nonempty run, or 0 if none has. */
  private static int deepest(PlanningView view) {
    for (int level = view.levels() - 1; level > 0; level--) {
      if (!view.nonEmptyRuns(level).isEmpty()) {
        return level;
      }
    }
    return 0;
  }
}
