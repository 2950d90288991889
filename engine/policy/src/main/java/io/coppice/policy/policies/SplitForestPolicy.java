// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.MergeRule;
import io.coppice.policy.Reason;
import io.coppice.policy.pick.CandidatePlan;
import io.coppice.policy.pick.DeletionPicker;
import io.coppice.policy.pick.InPlaceRewrite;
import io.coppice.policy.pick.LazyConcat;
import io.coppice.policy.pick.MergeLimits;
import io.coppice.policy.pick.PlanningView;
import io.coppice.policy.pick.PrioritizedPolicy;
import io.coppice.policy.pick.RunMerge;
import io.coppice.policy.pick.SmallTablePicker;
import io.coppice.policy.pick.TombstoneDropPicker;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Split forest compaction (Lu et al., SifrDB, IEEE TPDS 2020).
 *
 * <p>A level is a stage, and a run is a tree. Flushes are the trees of stage 0. Once the complete
 * oldest trees of a stage reach the fanout, all of them become one new tree of the next stage. Only
 * overlapping tables are merged; the others move. These merges therefore write each byte at most
 * once per stage.
 *
 * <pre>
 * stage 0  [ flush ] [ flush ] [ flush ] [ flush ]   fanout 4: all four are due
 *                |                        |
 *      clusters of overlap      tables without overlap
 *      one merge for each       one move for all, by metadata
 *                v                        v
 * stage 1  [  ][  ][  ][  ][  ][  ]  [ older tree ] [ older tree ]
 * </pre>
 *
 * <p>A stage is emptied piece by piece, see {@link RunMerge}: one move of all movable tables, then
 * one merge for each cluster, in any order and in parallel. The policy has no state. The shape
 * shows the incomplete tree and its sources, and each call derives the next piece from it. A run
 * that feeds an incomplete tree is no candidate for another one.
 *
 * <p>Candidates in order: drops of dead tombstones, the stages, rewrites of expired values, and
 * small tables joined in place. Shallow stages come first, and in a stage an incomplete tree
 * precedes a new one. The trees of the deepest stage become one tree of the same stage, and only
 * when all of its nonempty trees are complete. When space is short, a job takes fewer of the oldest
 * trees.
 *
 * <p>Under {@link MergeRule#FREE} a host keeps no incomplete tree. A stage then stays due while it
 * holds fanout trees, and only clusters with that overlap depth are merged. Immutable.
 */
public final class SplitForestPolicy implements PrioritizedPolicy {

  private final int fanout;
  private final MergeLimits limits;

  /**
   * Creates a split forest policy.
   *
   * @param fanout trees of a stage that become one, at least 2
   * @param limits limits of every merge; the trees of the deepest stage become one tree of the same
   *     stage
   */
  public SplitForestPolicy(int fanout, MergeLimits limits) {
    this.fanout = fanout;
    this.limits = limits;
  }

  @Override
  public MergeLimits limits() {
    return limits;
  }

  @Override
  public Stream<CandidatePlan> candidates(PlanningView view, long transientBytes) {
    int minStretch = Math.max(fanout, SmallTablePicker.MIN_NEIGHBOURS);
    return CandidatePlan.concat(
        List.of(
            () -> TombstoneDropPicker.candidates(view),
            () ->
                LazyConcat.of(
                    IntStream.range(0, view.levels()).boxed(),
                    stage -> stage(view, stage, transientBytes)),
            () -> DeletionPicker.ofRuns(view, limits, transientBytes),
            () -> DeletionPicker.inPlace(view, limits),
            () -> InPlaceRewrite.ofEnded(view, limits),
            () -> SmallTablePicker.settledCandidates(view, limits, minStretch)));
  }

  private Stream<CandidatePlan> stage(PlanningView view, int stage, long transientBytes) {
    Stream<RunMerge> continued =
        view.incompleteRuns().stream()
            .filter(incomplete -> incomplete.run().level() == stage)
            .map(SplitForestPolicy::continued);
    return LazyConcat.of(
        Stream.concat(continued, due(view, stage).stream()),
        join -> join.withinSpace(view, limits, transientBytes));
  }

  private static RunMerge continued(PlanningView.IncompleteRun incomplete) {
    Reason reason =
        Reason.ofNumbers(
            "tree-in-the-making",
            "a tree of L{level} is in the making, trees that feed it: {trees}",
            incomplete.run().level(),
            incomplete.sources().size());
    return RunMerge.into(incomplete.run(), incomplete.sources(), reason);
  }

  private Optional<RunMerge> due(PlanningView view, int stage) {
    List<PlanningView.PlacedRun> trees = view.oldestComplete(stage);
    boolean last = stage >= limits.maxLevel();
    if (trees.size() < fanout || (last && trees.size() < view.nonEmptyRuns(stage).size())) {
      return Optional.empty();
    }
    Reason reason =
        Reason.ofNumbers(
            "fanout-reached",
            "L{level} has {trees} trees, fanout is {fanout}",
            stage,
            trees.size(),
            fanout);
    int minDepth = view.adjacent() ? 2 : fanout;
    return Optional.of(RunMerge.intoNewRun(last ? stage : stage + 1, trees, minDepth, reason));
  }
}
