// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The split forest (Lu et al., SifrDB, IEEE TPDS 2020). A level is a stage, a run a tree. Once the
 * complete oldest trees of a stage reach the fanout, all of them become one new tree of the next
 * stage; only overlapping tables are merged, the others move. So each byte is written once a stage.
 *
 * <p>Stateless: the tree in the making and its sources stand in the Shape, and each plan takes the
 * next piece from there. Under {@link MergeRule#FREE} a host keeps no such tree; a stage then stays
 * due while it holds fanout trees, and only clusters that deep are merged.
 *
 * <p>Shallow stages come first; in a stage a tree in the making comes before a new one. Last come
 * small tables, joined in place.
 */
final class SplitForestPolicy implements WishingPolicy {

  private final int fanout;
  private final MergeLimits limits;

  /**
   * A forest.
   *
   * @param fanout trees of a stage that become one, at least 2
   * @param limits the trees of the deepest stage become one tree of the same stage
   */
  SplitForestPolicy(int fanout, MergeLimits limits) {
    this.fanout = fanout;
    this.limits = limits;
  }

  @Override
  public MergeLimits limits() {
    return limits;
  }

  @Override
  public Stream<Wish> wishes(Layout layout, long transientBytes) {
    int leastStretch = Math.max(fanout, SmallTables.LEAST_STRETCH);
    return Wish.inTurn(
        List.of(
            () -> Deletions.wishes(layout),
            () ->
                Chain.of(
                    IntStream.range(0, layout.levels()).boxed(),
                    stage -> stage(layout, stage, transientBytes)),
            () -> Renewal.ofEnded(layout, limits),
            () -> SmallTables.settledWishes(layout, limits, leastStretch)));
  }

  private Stream<Wish> stage(Layout layout, int stage, long transientBytes) {
    Stream<Join> continued =
        layout.fillings().stream()
            .filter(filling -> filling.run().level() == stage)
            .map(SplitForestPolicy::continued);
    return Chain.of(
        Stream.concat(continued, due(layout, stage).stream()),
        join -> join.fitting(layout, limits, transientBytes));
  }

  private static Join continued(Layout.Filling filling) {
    Reason reason =
        Reason.of(
            "tree-in-the-making",
            "a tree of L{level} is in the making, trees that feed it: {trees}",
            "level",
            filling.run().level(),
            "trees",
            filling.sources().size());
    return Join.into(filling.run(), filling.sources(), reason);
  }

  private Optional<Join> due(Layout layout, int stage) {
    List<Layout.PlacedRun> trees = layout.oldestComplete(stage);
    boolean last = stage >= limits.maxLevel();
    if (trees.size() < fanout || (last && trees.size() < layout.filledRuns(stage).size())) {
      return Optional.empty();
    }
    Reason reason =
        Reason.of(
            "fanout-reached",
            "L{level} has {trees} trees, fanout is {fanout}",
            "level",
            stage,
            "trees",
            trees.size(),
            "fanout",
            fanout);
    int leastDepth = layout.adjacent() ? 2 : fanout;
    return Optional.of(Join.fresh(last ? stage : stage + 1, trees, leastDepth, reason));
  }
}
