// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Leveled (LevelDB; the base of dCompaction, mechanism D1). Level 0 overlaps; every deeper level is
 * one run with a target size that grows by the fanout.
 *
 * <ol>
 *   <li>Level 0 at its trigger: the oldest slice, all of level 0 that hangs together with it by
 *       overlap, and what that overlaps in the newest run of level 1, are merged into that run.
 *   <li>A deeper level of several runs, left by another policy: the newer runs are folded into the
 *       oldest, cluster by cluster.
 *   <li>A level over its target: the slice that overlaps the least of the next level for its own
 *       size, then the oldest, is merged into it.
 *   <li>Small neighbours are joined in place.
 * </ol>
 *
 * In each, what overlaps nothing moves. Shallow levels come first. Runs in the making are ordinary
 * runs here.
 */
final class LeveledPolicy implements Policy {

  private final int fanout;
  private final int l0Trigger;
  private final long baseBytes;
  private final MergeLimits limits;

  /**
   * A leveled policy.
   *
   * @param l0Trigger runs of level 0 that start a merge, at least 1
   * @param baseBytes target size of level 1
   * @param limits the deepest level has no target
   */
  LeveledPolicy(int fanout, int l0Trigger, long baseBytes, MergeLimits limits) {
    this.fanout = fanout;
    this.l0Trigger = l0Trigger;
    this.baseBytes = baseBytes;
    this.limits = limits;
  }

  @Override
  public Optional<Plan> next(Shape shape, Budget budget) {
    Layout layout = new Layout(shape);
    Optional<Plan> plan = Wish.first(wishes(layout, budget.transientBytes()), budget);
    // A merge of level 0 over the budget shrinks to its oldest runs, a legal plan of its own.
    int runs = layout.filledRuns(0).size();
    while (plan.isEmpty() && runs >= l0Trigger && runs > 1) {
      runs /= 2;
      plan = Wish.first(levelZero(layout, runs), budget);
    }
    return plan;
  }

  @Override
  public Backlog backlog(Shape shape) {
    return Wish.backlog(wishes(new Layout(shape.unclaimed()), Long.MAX_VALUE));
  }

  @Override
  public Optional<Plan> everything(Shape shape, Budget budget) {
    return Wish.first(MajorCompaction.wishes(new Layout(shape), limits), budget);
  }

  private Stream<Wish> wishes(Layout layout, long transientBytes) {
    SmallTables small = new SmallTables(layout, limits, SmallTables.LEAST_STRETCH);
    return Wish.inTurn(
        List.of(
            () -> levelZero(layout, Integer.MAX_VALUE),
            () ->
                IntStream.range(1, layout.levels())
                    .boxed()
                    .flatMap(level -> deeper(layout, level, transientBytes)),
            () -> layout.runs().stream().flatMap(run -> small.wishes(run).stream())));
  }

  private Stream<Wish> deeper(Layout layout, int level, long transientBytes) {
    List<Layout.PlacedRun> runs = layout.filledRuns(level);
    if (runs.size() > 1) {
      return fold(level, runs).wishes(layout, limits);
    }
    return runs.isEmpty() || level >= limits.maxLevel()
        ? Stream.of()
        : new Overflow(layout, runs.get(0), targetBytes(level), limits).wishes(transientBytes);
  }

  /** Target size of a level from 1 on, in bytes. */
  private long targetBytes(int level) {
    long target = baseBytes;
    for (int i = 1; i < level; i++) {
      target = target > Long.MAX_VALUE / fanout ? Long.MAX_VALUE : target * fanout;
    }
    return target;
  }

  private static Join fold(int level, List<Layout.PlacedRun> runs) {
    Reason reason =
        Reason.of(
            "several-runs",
            "L{level} has {runs} runs, leveled keeps one",
            "level",
            level,
            "runs",
            runs.size());
    int oldest = runs.size() - 1;
    return Join.into(runs.get(oldest), runs.subList(0, oldest), reason);
  }

  /**
   * Merges and moves of level 0 until it is under its trigger.
   *
   * @param runsConsidered take clusters of only so many of the oldest runs
   */
  private Stream<Wish> levelZero(Layout layout, int runsConsidered) {
    List<Layout.PlacedRun> runs = layout.filledRuns(0);
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
    List<Layout.PlacedRun> oldest = runs.subList(runs.size() - considered, runs.size());
    return new LevelZero(layout, oldest, reason, limits)
        .wishes(runs.size() - l0Trigger + 1).stream();
  }
}
