// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Grouped levels (Zhang et al., ICPADS 2016; stepped merge). A level holds groups, a group is a
 * run. Once the complete oldest groups of a level reach their number, all of them become one new
 * group of the next level. Everything is rewritten, overlapping or not, so a byte is written
 * exactly once a level, and nothing in the next level is touched.
 *
 * <p>With the last level leveled (lazy leveling, Dostoevsky), the groups of the level above the
 * deepest are merged with what the deepest holds, until that outweighs them by the number of
 * groups; then it first goes one level deeper as it is.
 *
 * <p>Stateless: the group in the making and its sources stand in the Shape. Under {@link
 * MergeRule#FREE}, where they do not, a cluster goes down once it is as deep as groups are many.
 */
final class GroupedPolicy implements WishingPolicy {

  private final int groups;
  private final boolean lastLevelLeveled;
  private final MergeLimits limits;

  /**
   * A grouped policy.
   *
   * @param groups of a level that become one of the next, at least 2
   * @param lastLevelLeveled true for one run in the deepest level
   * @param limits the groups of the deepest level become one group of the same level
   */
  GroupedPolicy(int groups, boolean lastLevelLeveled, MergeLimits limits) {
    this.groups = groups;
    this.lastLevelLeveled = lastLevelLeveled;
    this.limits = limits;
  }

  @Override
  public MergeLimits limits() {
    return limits;
  }

  @Override
  public Stream<Wish> wishes(Layout layout, long transientBytes) {
    return Wish.inTurn(
        List.of(
            () -> Deletions.wishes(layout),
            () ->
                Chain.of(
                    IntStream.range(0, layout.levels()).boxed(),
                    level -> level(layout, level, transientBytes)),
            () -> Renewal.ofEnded(layout, limits),
            () ->
                SmallTables.settledWishes(
                    layout, limits, Math.max(groups, SmallTables.LEAST_STRETCH))));
  }

  private Stream<Wish> level(Layout layout, int level, long transientBytes) {
    Stream<Wish> continued =
        Chain.of(
            layout.fillings().stream().filter(filling -> filling.run().level() == level),
            filling -> {
              Join join = Join.continued(filling);
              return lastLevelLeveled && level == deepest(layout)
                  ? join.fitting(layout, limits, transientBytes)
                  : join.rewriting(layout, limits, transientBytes);
            });
    return Stream.concat(continued, due(layout, level, transientBytes));
  }

  private Stream<Wish> due(Layout layout, int level, long transientBytes) {
    List<Layout.PlacedRun> complete = layout.oldestComplete(level);
    boolean last = level >= limits.maxLevel();
    if (complete.size() < groups || (last && complete.size() < layout.filledRuns(level).size())) {
      return Stream.of();
    }
    Reason reason =
        Reason.of(
            "groups-reached",
            "L{level} has {groups} groups, {limit} become one",
            "level",
            level,
            "groups",
            complete.size(),
            "limit",
            groups);
    if (lastLevelLeveled && level + 1 == deepest(layout)) {
      return intoTheLast(layout, complete, reason, transientBytes);
    }
    Join join = Join.fresh(last ? level : level + 1, complete, leastDepth(layout), reason);
    return shrunk(
        layout,
        complete.size(),
        some -> join.some(layout, some).rewriting(layout, limits, transientBytes),
        transientBytes);
  }

  /** Merges groups with the deepest level, or takes that one level deeper if it is full. */
  private Stream<Wish> intoTheLast(
      Layout layout, List<Layout.PlacedRun> complete, Reason reason, long transientBytes) {
    int deepest = deepest(layout);
    List<Layout.PlacedRun> last = layout.oldestComplete(deepest);
    if (last.size() < layout.filledRuns(deepest).size()) {
      return Stream.of();
    }
    long[] bytes = dueAndLastBytes(layout, complete, last);
    if (deepest < limits.maxLevel() && bytes[1] / groups >= bytes[0]) {
      Reason full =
          Reason.of(
              "last-level-full",
              "L{level} has {last} bytes, {limit} times the {bytes} bytes due to it",
              "level",
              deepest,
              "last",
              bytes[1],
              "limit",
              groups,
              "bytes",
              bytes[0]);
      return Join.fresh(deepest + 1, last, 2, full).wishes(layout, limits);
    }
    return shrunk(
        layout,
        complete.size() + 1,
        oldest -> {
          List<Layout.PlacedRun> sources = new ArrayList<>(oldest(complete, oldest - 1));
          sources.addAll(last);
          return Join.fresh(deepest, sources, leastDepth(layout), reason).wishes(layout, limits);
        },
        transientBytes);
  }

  /** Fewer of the oldest runs where space is short; under FREE a cluster alone can be the job. */
  private static Stream<Wish> shrunk(
      Layout layout, int width, IntFunction<Stream<Wish>> job, long transientBytes) {
    return layout.adjacent() ? Wish.shrinking(true, width, job, transientBytes) : job.apply(width);
  }

  /** Under FREE what lies over each other is all one knows of groups. */
  private int leastDepth(Layout layout) {
    return layout.adjacent() ? 2 : groups;
  }

  private static List<Layout.PlacedRun> oldest(List<Layout.PlacedRun> runs, int number) {
    return runs.subList(runs.size() - number, runs.size());
  }

  /** Bytes of the groups that are due, and of what they meet in the last level. */
  private long[] dueAndLastBytes(
      Layout layout, List<Layout.PlacedRun> due, List<Layout.PlacedRun> last) {
    List<Layout.PlacedRun> all = new ArrayList<>(due);
    all.addAll(last);
    long[] bytes = new long[2];
    int lastLevel = last.get(0).level();
    List<Placed> slices = Layout.slicesOf(all);
    List<Placed> met = layout.adjacent() ? slices : new ArrayList<>();
    if (!layout.adjacent()) {
      for (Cluster cluster : Cluster.of(slices)) {
        if (cluster.depth() >= groups) {
          met.addAll(cluster.slices());
        }
      }
    }
    for (Placed slice : met) {
      bytes[slice.level() == lastLevel ? 1 : 0] += slice.bytes();
    }
    return bytes;
  }

  /** The deepest level that holds something; 0 if none does. */
  private static int deepest(Layout layout) {
    for (int level = layout.levels() - 1; level > 0; level--) {
      if (!layout.filledRuns(level).isEmpty()) {
        return level;
      }
    }
    return 0;
  }
}
