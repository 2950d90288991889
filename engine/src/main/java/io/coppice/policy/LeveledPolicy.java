// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Leveled (LevelDB; the base of dCompaction, mechanism D1). Level 0 overlaps; every deeper level is
 * one run with a target size that grows by the fanout.
 *
 * <ol>
 *   <li>Deletions of nothing are dropped.
 *   <li>While level 0 is at its trigger, levels that are fuller come first, the fullest before
 *       others.
 *   <li>Level 0 at its trigger: the oldest slice, all of level 0 that hangs together with it by
 *       overlap, and what that overlaps in the newest run of level 1, are merged into that run.
 *   <li>A deeper level of several runs, left by another policy: the newer runs are folded into the
 *       oldest, cluster by cluster.
 *   <li>A level over its target: the slice that overlaps the least of the next level for its own
 *       size, then the oldest, is merged into it.
 *   <li>Small neighbours are joined in place.
 * </ol>
 *
 * In each, what overlaps nothing moves. Shallow levels come first but for that. Runs in the making
 * are ordinary runs here.
 */
final class LeveledPolicy implements WishingPolicy {

  private final Descent descent;
  private final MergeLimits limits;

  /** A leveled policy that puts nothing off. */
  LeveledPolicy(Descent descent) {
    this.descent = descent;
    this.limits = descent.limits();
  }

  @Override
  public Optional<Plan> next(Shape shape, Budget budget) {
    Layout layout = new Layout(shape);
    Optional<Plan> plan = Wish.first(wishes(layout, budget.transientBytes()), budget);
    return plan.isPresent() ? plan : descent.shrunk(layout, budget);
  }

  @Override
  public Backlog backlog(Shape shape) {
    return Wish.backlog(wishes(new Layout(shape.unclaimed()), Long.MAX_VALUE));
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
            () -> descent.overfull(layout, transientBytes),
            () -> descent.levelZero(layout),
            () -> descent.deeper(layout, transientBytes),
            () -> SmallTables.wishes(layout, limits, SmallTables.LEAST_STRETCH)));
  }
}
