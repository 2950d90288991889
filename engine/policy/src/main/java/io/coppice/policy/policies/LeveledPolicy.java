// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import io.coppice.policy.Shape;
import io.coppice.policy.Target;
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
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Leveled compaction (LevelDB; the base of dCompaction, mechanism D1).
 *
 * <p>The runs of level 0 overlap. Every deeper level is one run with a target size: {@code
 * baseBytes} for level 1, and {@code fanout} times the previous target for each further level. The
 * deepest level has no target.
 *
 * <pre>
 * level 0  [--- flush ---][-- flush --]   l0Trigger runs start a merge
 *               |  LevelZeroPicker: clusters of overlap, the oldest slice first
 * level 1  [   ][   ][   ]                target baseBytes
 *                 |  OversizedLevelPicker: smallest overlap ratio first
 * level 2  [  ][  ][  ][  ][  ][  ]       target baseBytes * fanout
 * </pre>
 *
 * The candidate plans, the most urgent first:
 *
 * <ol>
 *   <li>Drops of tombstones that hide nothing.
 *   <li>While level 0 is at its trigger: levels that are fuller than level 0, the fullest first.
 *   <li>Level 0 at its trigger: the cluster of overlapping level-0 slices with the oldest one,
 *       merged into the newest run of level 1 with the segments that it overlaps there.
 *   <li>A deeper level of several runs, left by another policy: the newer runs are merged into the
 *       oldest, cluster by cluster.
 *   <li>A level over its target: the slice with the smallest overlap ratio in the next level, then
 *       the oldest, merged into that level.
 *   <li>Segments whose deletions hide too much, see {@link LevelDeletionPicker}.
 *   <li>Rewrites in place: of hidden data, of tables whose entries have mostly expired, of small
 *       neighboring tables.
 * </ol>
 *
 * <p>In each level, slices without overlap move. Apart from fuller levels, shallow levels precede
 * deep ones. A level merge takes whole segments but leaves the other segments of their groups:
 * those share tables, not ranks. This policy treats incomplete runs as ordinary runs. If no
 * candidate fits the budget, it takes fewer of the oldest runs of level 0.
 *
 * <p>Under {@link MergeRule#FREE} a table goes down with the tables of the next level that it
 * overlaps, without those that these overlap in turn. A table that is due for a merge and overlaps
 * others of its own level is first merged with those.
 *
 * <p>{@link DelayedPolicy} builds on a policy with {@code vct} above 1. Merges that take fewer
 * tables are then delays, see {@link OutputLevel#mergeOrDelay}. Under FREE, levels may overlap, and
 * only {@code vct} or more runs start a merge of one level. Immutable.
 *
 * @param fanout growth factor from one level to the next
 * @param l0Trigger runs of level 0 that start a merge, at least 1
 * @param baseBytes target size of level 1 in bytes on disk
 * @param vct table count below which merges are delayed; 0 and 1 delay none
 * @param limits limits of every merge; the deepest level has no target
 */
public record LeveledPolicy(int fanout, int l0Trigger, long baseBytes, int vct, MergeLimits limits)
    implements PrioritizedPolicy {

  @Override
  public Stream<CandidatePlan> candidates(PlanningView view, long transientBytes) {
    return CandidatePlan.concat(
        List.of(
            () -> urgent(view, transientBytes),
            () -> deeper(view, transientBytes),
            () -> LevelDeletionPicker.candidates(view, limits, false, () -> 0),
            () -> inPlace(view)));
  }

  @Override
  public Optional<Plan> next(Shape shape, Budget budget) {
    return next(this, shape, budget);
  }

  /**
   * Returns the first plan of a policy that fits the budget, or else a merge of fewer runs of level
   * 0; empty if neither exists.
   *
   * @param policy this policy, or the one that builds on it
   */
  Optional<Plan> next(PrioritizedPolicy policy, Shape shape, Budget budget) {
    PlanningView view = new PlanningView(shape);
    Optional<Plan> plan = CandidatePlan.first(policy.candidates(view, budget.boundBytes()), budget);
    return plan.isPresent() ? plan : shrunkLevelZero(view, budget);
  }

  @Override
  public Backlog backlog(Shape shape) {
    return CandidatePlan.backlog(candidates(new PlanningView(shape.unclaimed()), Long.MAX_VALUE));
  }

  /**
   * Returns the drops and the merges of a full level 0 and of fuller levels, which keep writers
   * from stopping.
   */
  Stream<CandidatePlan> urgent(PlanningView view, long transientBytes) {
    return CandidatePlan.concat(
        List.of(
            () -> TombstoneDropPicker.candidates(view),
            () -> levelsFullerThanLevelZero(view, transientBytes),
            () -> levelZero(view)));
  }

  /** Returns the rewrites whose outputs take the place of their inputs. */
  Stream<CandidatePlan> inPlace(PlanningView view) {
    return CandidatePlan.concat(
        List.of(
            () -> DeletionPicker.inPlace(view, limits),
            () -> InPlaceRewrite.ofEnded(view, limits),
            () -> SmallTablePicker.candidates(view, limits, SmallTablePicker.MIN_NEIGHBOURS)));
  }

  /** Returns the plans of level 0 that bring it below its trigger. */
  private Stream<CandidatePlan> levelZero(PlanningView view) {
    return levelZero(view, Integer.MAX_VALUE);
  }

  /**
   * Returns the plans of the levels from 1 on that are fuller than level 0, the fullest first; none
   * while level 0 is under its trigger. Otherwise constant writes would leave only merges of level
   * 0. Level 1 would grow without bound, and each of those merges rewrites its overlap there.
   *
   * <p>The fullness of a level is its bytes divided by its target. Level 0 has two such ratios, and
   * the larger counts: its runs divided by the trigger, and its bytes divided by the target of
   * level 1. The second exists because a merge sends those bytes to level 1 at once.
   *
   * @param transientBytes limit of transient space in bytes; a merge that needs more gives way to
   *     the next cheapest
   */
  private Stream<CandidatePlan> levelsFullerThanLevelZero(PlanningView view, long transientBytes) {
    return LazyConcat.of(
        overfullLevels(view).stream(), level -> ofLevel(view, level, transientBytes));
  }

  private List<Integer> overfullLevels(PlanningView view) {
    int runs = view.nonEmptyRuns(0).size();
    if (runs < l0Trigger) {
      return List.of();
    }
    double ofBytes = (double) bytes(view, 0) / targetBytes(1);
    double most = Math.max((double) runs / l0Trigger, ofBytes);
    return IntStream.range(1, view.levels())
        .boxed()
        .filter(level -> fullness(view, level) > most)
        .sorted(Comparator.comparingDouble(level -> -fullness(view, level)))
        .toList();
  }

  /**
   * Returns the bytes of a level from 1 on, divided by its target; 0 for the deepest level, which
   * has no target.
   */
  private double fullness(PlanningView view, int level) {
    return level < limits.maxLevel() ? (double) bytes(view, level) / targetBytes(level) : 0;
  }

  private static long bytes(PlanningView view, int level) {
    long bytes = 0;
    for (PlanningView.PlacedRun run : view.nonEmptyRuns(level)) {
      bytes += run.facts().bytes();
    }
    return bytes;
  }

  /**
   * Returns a merge of level 0 that takes fewer of its oldest runs, because the whole one exceeds
   * the budget. Any number of oldest runs makes a legal plan. It halves the number of runs until a
   * plan fits or only waits for the space of running merges. If a running plan or the rewrite
   * budget blocks the whole merge, it halves only numbers above {@code l0Trigger - 1}. Empty if no
   * number fits.
   */
  private Optional<Plan> shrunkLevelZero(PlanningView view, Budget budget) {
    boolean waits = levelZero(view).anyMatch(candidate -> candidate.isBlocked(budget));
    int least = waits ? Math.max(1, l0Trigger - 1) : 1;
    Optional<Plan> plan = Optional.empty();
    int runs = view.nonEmptyRuns(0).size();
    Stream<CandidatePlan> candidates = levelZero(view);
    while (plan.isEmpty()
        && runs > least
        && candidates.noneMatch(candidate -> candidate.awaitsSpace(budget))) {
      runs /= 2;
      plan = CandidatePlan.first(levelZero(view, runs), budget);
      candidates = levelZero(view, runs);
    }
    return plan;
  }

  /**
   * Returns the plans of the levels from 1 on that {@link #levelsFullerThanLevelZero} leaves out,
   * shallow ones first.
   *
   * @param transientBytes limit of transient space in bytes; a merge that needs more gives way to
   *     the next cheapest
   */
  Stream<CandidatePlan> deeper(PlanningView view, long transientBytes) {
    List<Integer> before = overfullLevels(view);
    return LazyConcat.of(
        IntStream.range(1, view.levels()).boxed().filter(level -> !before.contains(level)),
        level -> ofLevel(view, level, transientBytes));
  }

  private Stream<CandidatePlan> ofLevel(PlanningView view, int level, long transientBytes) {
    List<PlanningView.PlacedRun> runs = view.nonEmptyRuns(level);
    boolean overlapping = OutputLevel.allowsOverlap(view, vct);
    if (overlapping && runs.size() >= vct) {
      return deepest(level, runs).candidates(view, limits);
    }
    if (!overlapping && runs.size() > 1) {
      return joinRuns(level, runs).candidates(view, limits);
    }
    return runs.isEmpty() || level >= limits.maxLevel()
        ? Stream.of()
        : new OversizedLevelPicker(view, runs, targetBytes(level), outputLevel(view, level + 1))
            .candidates(transientBytes);
  }

  private OutputLevel outputLevel(PlanningView view, int level) {
    return new OutputLevel(view, level, vct, limits);
  }

  /**
   * Returns the target size of a level in bytes: {@code baseBytes}, times {@code fanout} for each
   * level after the first; {@link Long#MAX_VALUE} if the product overflows.
   *
   * @param level at least 1
   */
  long targetBytes(int level) {
    long target = baseBytes;
    for (int i = 1; i < level; i++) {
      target = target > Long.MAX_VALUE / fanout ? Long.MAX_VALUE : target * fanout;
    }
    return target;
  }

  /**
   * Returns the merges of an overlapping level that another policy left as several runs. Only
   * clusters with an overlap depth of {@code vct} or more are merged.
   */
  private RunMerge deepest(int level, List<PlanningView.PlacedRun> runs) {
    Reason reason =
        Reason.ofNumbers(
            "too-deep", "L{level} has {runs} runs, vct is {vct}", level, runs.size(), vct);
    PlanningView.PlacedRun oldest = runs.get(runs.size() - 1);
    Target target = Target.join(level, oldest.id());
    return new RunMerge(runs.subList(0, runs.size() - 1), Optional.of(oldest), target, vct, reason);
  }

  private static RunMerge joinRuns(int level, List<PlanningView.PlacedRun> runs) {
    Reason reason =
        Reason.ofNumbers(
            "several-runs", "L{level} has {runs} runs, leveled keeps one", level, runs.size());
    int oldest = runs.size() - 1;
    return RunMerge.into(runs.get(oldest), runs.subList(0, oldest), reason);
  }

  /**
   * Returns the plans of level 0, which end once it is below its trigger.
   *
   * @param runsConsidered number of runs, from the oldest on, whose clusters may be merged
   */
  private Stream<CandidatePlan> levelZero(PlanningView view, int runsConsidered) {
    List<PlanningView.PlacedRun> runs = view.nonEmptyRuns(0);
    if (runs.size() < l0Trigger) {
      return Stream.of();
    }
    Reason reason =
        Reason.ofNumbers(
            "l0-trigger", "L0 has {runs} runs, trigger is {trigger}", runs.size(), l0Trigger);
    int considered = Math.min(runsConsidered, runs.size());
    List<PlanningView.PlacedRun> oldest = runs.subList(runs.size() - considered, runs.size());
    return new LevelZeroPicker(oldest, reason, outputLevel(view, 1))
        .candidates(runs.size() - l0Trigger + 1).stream();
  }
}
