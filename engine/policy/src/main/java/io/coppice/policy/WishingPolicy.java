// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A policy that is one list of candidate plans, most urgent first. */
interface WishingPolicy extends Policy {

  /**
   * Returns the candidate plans of a shape, most urgent first.
   *
   * @param transientBytes transient space above which it may offer smaller jobs instead
   */
  Stream<Wish> wishes(Layout layout, long transientBytes);

  /** Returns the limits of its merges. */
  MergeLimits limits();

  @Override
  default Optional<Plan> next(Shape shape, Budget budget) {
    return Wish.first(wishes(new Layout(shape), budget.boundBytes()), budget);
  }

  @Override
  default Backlog backlog(Shape shape) {
    Layout layout = new Layout(shape.unclaimed());
    return Wish.backlog(wishes(layout, Long.MAX_VALUE), wishes(layout, 0));
  }

  @Override
  default Optional<Plan> everything(Shape shape, Budget budget) {
    return Wish.first(MajorCompaction.wishes(new Layout(shape), limits()), budget.rewritingAny());
  }

  @Override
  default Optional<Plan> rewrite(Shape shape, Set<Long> slices, Budget budget) {
    return Wish.first(Renewal.wishes(new Layout(shape), slices, limits()), budget.rewritingAny());
  }
}
