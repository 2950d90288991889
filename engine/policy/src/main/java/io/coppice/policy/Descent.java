// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The way down of leveled: what sends slices from one level to the next. Level 0 overlaps; every
 * deeper level is one run with a target size that grows by the fanout.
 *
 * @param fanout how much larger each level is
 * @param l0Trigger runs of level 0 that start a merge, at least 1
 * @param baseBytes target size of level 1
 * @param vct merges of fewer tables are delayed; 0 and 1 delay none
 * @param limits the deepest level has no target
 */
record Descent(int fanout, int l0Trigger, long baseBytes, int vct, MergeLimits limits) {

  /** Plans of level 0 until it is under its trigger. */
  Stream<Wish> levelZero(Layout layout) {
    return levelZero(layout, Integer.MAX_VALUE);
  }

  /**
   * Plans of the levels from 1 on that are fuller than level 0, the fullest first; none while level
   * 0 is under its trigger. Without them writers that never rest would have nothing but level 0
   * merged: level 1 would grow without end, and each of those merges rewrites what it meets there.
   *
   * <p>A level is as full as its bytes over its target; level 0 as its runs over the trigger, or as
   * its bytes over the target of level 1 if that is more: what it sends down at once makes level 1
   * so full.
   *
   * @param transientBytes a merge that needs more is passed over for the next cheapest
   */
  Stream<Wish> overfull(Layout layout, long transientBytes) {
    return Chain.of(
        overfullLevels(layout).stream(), level -> deeper(layout, level, transientBytes));
  }

  private List<Integer> overfullLevels(Layout layout) {
    int runs = layout.filledRuns(0).size();
    if (runs < l0Trigger) {
      return List.of();
    }
    double ofBytes = (double) bytes(layout, 0) / targetBytes(1);
    double most = Math.max((double) runs / l0Trigger, ofBytes);
    return IntStream.range(1, layout.levels())
        .boxed()
        .filter(level -> fullness(layout, level) > most)
        .sorted(Comparator.comparingDouble(level -> -fullness(layout, level)))
        .toList();
  }

  /** Of a level from 1 on; the deepest has no target. */
  private double fullness(Layout layout, int level) {
    return level < limits.maxLevel() ? (double) bytes(layout, level) / targetBytes(level) : 0;
  }

  private static long bytes(Layout layout, int level) {
    long bytes = 0;
    for (Layout.PlacedRun run : layout.filledRuns(level)) {
      bytes += run.facts().bytes();
    }
    return bytes;
  }

  /**
   * A merge of level 0 over the budget shrinks to its oldest runs, a legal plan of its own: to one
   * only where nothing but space keeps it, and not a merge under way or what a switch allows.
   */
  Optional<Plan> shrunk(Layout layout, Budget budget) {
    boolean waits = levelZero(layout).anyMatch(wish -> wish.waits(budget));
    int least = waits ? Math.max(1, l0Trigger - 1) : 1;
    Optional<Plan> plan = Optional.empty();
    int runs = layout.filledRuns(0).size();
    Stream<Wish> wishes = levelZero(layout);
    while (plan.isEmpty() && runs > least && wishes.noneMatch(wish -> wish.awaitsSpace(budget))) {
      runs /= 2;
      plan = Wish.first(levelZero(layout, runs), budget);
      wishes = levelZero(layout, runs);
    }
    return plan;
  }

  /**
   * Plans of the other levels from 1 on, shallow ones first.
   *
   * @param transientBytes a merge that needs more is passed over for the next cheapest
   */
  Stream<Wish> deeper(Layout layout, long transientBytes) {
    List<Integer> before = overfullLevels(layout);
    return Chain.of(
        IntStream.range(1, layout.levels()).boxed().filter(level -> !before.contains(level)),
        level -> deeper(layout, level, transientBytes));
  }

  private Stream<Wish> deeper(Layout layout, int level, long transientBytes) {
    List<Layout.PlacedRun> runs = layout.filledRuns(level);
    boolean loose = Entrance.loose(layout, vct);
    if (loose && runs.size() >= vct) {
      return deepest(level, runs).wishes(layout, limits);
    }
    if (!loose && runs.size() > 1) {
      return fold(level, runs).wishes(layout, limits);
    }
    return runs.isEmpty() || level >= limits.maxLevel()
        ? Stream.of()
        : new Overflow(layout, runs, targetBytes(level), entrance(layout, level + 1))
            .wishes(transientBytes);
  }

  private Entrance entrance(Layout layout, int level) {
    return new Entrance(layout, level, vct, limits);
  }

  /** Target size of a level from 1 on, in bytes. */
  long targetBytes(int level) {
    long target = baseBytes;
    for (int i = 1; i < level; i++) {
      target = target > Long.MAX_VALUE / fanout ? Long.MAX_VALUE : target * fanout;
    }
    return target;
  }

  /** Of a loose level as another policy left it: what lies as deep as no delay would have it. */
  private Join deepest(int level, List<Layout.PlacedRun> runs) {
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
    Layout.PlacedRun oldest = runs.get(runs.size() - 1);
    Target target = Target.join(level, oldest.id());
    return new Join(runs.subList(0, runs.size() - 1), Optional.of(oldest), target, vct, reason);
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
   * Plans of level 0.
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
    return new LevelZero(oldest, reason, entrance(layout, 1))
        .wishes(runs.size() - l0Trigger + 1).stream();
  }
}
