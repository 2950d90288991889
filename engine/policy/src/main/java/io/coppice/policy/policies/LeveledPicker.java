// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.Budget;
import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import io.coppice.policy.Target;
import io.coppice.policy.pick.CandidatePlan;
import io.coppice.policy.pick.LazyConcat;
import io.coppice.policy.pick.MergeLimits;
import io.coppice.policy.pick.PlanningView;
import io.coppice.policy.pick.RunMerge;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Leveled picker: chooses the slices that go from each level to the next.
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
 * <p>Three kinds of candidates exist. {@link #levelZero} empties level 0 once it reaches its
 * trigger. {@link #levelsFullerThanLevelZero} takes the levels that are, relative to their targets,
 * fuller than level 0, the fullest first; these precede level 0. {@link #deeper} takes the
 * remaining levels, shallow ones first. In each level, slices without overlap move. The others are
 * merged with the segments that they overlap below, or delayed if fewer than {@code vct} tables
 * take part; see {@link OutputLevel#mergeOrDelay}. A level that another policy left with several
 * runs is first merged into one. Under {@link MergeRule#FREE} with {@code vct} above 1, levels may
 * overlap, and only {@code vct} or more runs start such a merge.
 *
 * <p>If no candidate fits the budget, {@link #shrunkLevelZero} offers fewer of the oldest runs of
 * level 0. Immutable.
 *
 * @param fanout growth factor from one level to the next
 * @param l0Trigger runs of level 0 that start a merge, at least 1
 * @param baseBytes target size of level 1
 * @param vct table count below which merges are delayed; 0 and 1 delay none
 * @param limits limits of every merge; the deepest level has no target
 */
public record LeveledPicker(
    int fanout, int l0Trigger, long baseBytes, int vct, MergeLimits limits) {

  /** Returns the plans of level 0 until it is under its trigger. */
  Stream<CandidatePlan> levelZero(PlanningView view) {
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
   * @param transientBytes limit of transient space; a merge that needs more gives way to the next
   *     cheapest
   */
  Stream<CandidatePlan> levelsFullerThanLevelZero(PlanningView view, long transientBytes) {
    return LazyConcat.of(
        overfullLevels(view).stream(), level -> deeper(view, level, transientBytes));
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
   * plan fits, down to one run if only space prevents the merge. If a running merge or the rewrite
   * budget prevents it, it keeps at least {@code l0Trigger - 1} runs.
   */
  Optional<Plan> shrunkLevelZero(PlanningView view, Budget budget) {
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
   * @param transientBytes limit of transient space; a merge that needs more gives way to the next
   *     cheapest
   */
  Stream<CandidatePlan> deeper(PlanningView view, long transientBytes) {
    List<Integer> before = overfullLevels(view);
    return LazyConcat.of(
        IntStream.range(1, view.levels()).boxed().filter(level -> !before.contains(level)),
        level -> deeper(view, level, transientBytes));
  }

  private Stream<CandidatePlan> deeper(PlanningView view, int level, long transientBytes) {
    List<PlanningView.PlacedRun> runs = view.nonEmptyRuns(level);
    boolean loose = OutputLevel.allowsOverlap(view, vct);
    if (loose && runs.size() >= vct) {
      return deepest(level, runs).candidates(view, limits);
    }
    if (!loose && runs.size() > 1) {
      return joinRuns(level, runs).candidates(view, limits);
    }
    return runs.isEmpty() || level >= limits.maxLevel()
        ? Stream.of()
        : new OversizedLevelPicker(view, runs, targetBytes(level), entrance(view, level + 1))
            .candidates(transientBytes);
  }

  private OutputLevel entrance(PlanningView view, int level) {
    return new OutputLevel(view, level, vct, limits);
  }

  /** Returns the target size of a level from 1 on, in bytes. */
  long targetBytes(int level) {
    long target = baseBytes;
    for (int i = 1; i < level; i++) {
      target = target > Long.MAX_VALUE / fanout ? Long.MAX_VALUE : target * fanout;
    }
    return target;
  }

  /**
   * Returns the merges of an overlapping level that another policy left, where overlap is at least
   * as deep as a delay allows.
   */
  private RunMerge deepest(int level, List<PlanningView.PlacedRun> runs) {
    Reason reason =
        Reason.of(
            "too-deep",
            "L{level} has {runs} runs, vct is {vct}",
            "level",
            level,
            "runs",
            runs.size(),
            "vct",
            vct);
    PlanningView.PlacedRun oldest = runs.get(runs.size() - 1);
    Target target = Target.join(level, oldest.id());
    return new RunMerge(runs.subList(0, runs.size() - 1), Optional.of(oldest), target, vct, reason);
  }

  private static RunMerge joinRuns(int level, List<PlanningView.PlacedRun> runs) {
    Reason reason =
        Reason.of(
            "several-runs",
            "L{level} has {runs} runs, leveled keeps one",
            "level",
            level,
            "runs",
            runs.size());
    int oldest = runs.size() - 1;
    return RunMerge.into(runs.get(oldest), runs.subList(0, oldest), reason);
  }

  /**
   * Returns the plans of level 0.
   *
   * @param runsConsidered number of oldest runs whose clusters count
   */
  private Stream<CandidatePlan> levelZero(PlanningView view, int runsConsidered) {
    List<PlanningView.PlacedRun> runs = view.nonEmptyRuns(0);
    if (runs.size() < l0Trigger) {
      return Stream.of();
    }
    Reason reason =
        Reason.of(
            "l0-trigger",
            "L0 has {runs} runs, trigger is {trigger}",
            "runs",
            runs.size(),
            "trigger",
            l0Trigger);
    int considered = Math.min(runsConsidered, runs.size());
    List<PlanningView.PlacedRun> oldest = runs.subList(runs.size() - considered, runs.size());
    return new LevelZeroPicker(oldest, reason, entrance(view, 1))
        .candidates(runs.size() - l0Trigger + 1).stream();
  }
}
