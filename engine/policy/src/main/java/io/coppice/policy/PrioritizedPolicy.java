// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A policy that is one list of candidate plans, most urgent first. */
interface PrioritizedPolicy extends Policy {

  /**
   * Returns the candidate plans of a shape, most urgent first.
   *
   * @param transientBytes transient space above which it may offer smaller jobs instead
   */
  Stream<CandidatePlan> wishes(PlanningView layout, long transientBytes);

  /** Returns the limits of its merges. */
  MergeLimits limits();

  @Override
  default Optional<Plan> next(Shape shape, Budget budget) {
    return CandidatePlan.first(wishes(new PlanningView(shape), budget.boundBytes()), budget);
  }

  @Override
  default Backlog backlog(Shape shape) {
    PlanningView layout = new PlanningView(shape.unclaimed());
    return CandidatePlan.backlog(wishes(layout, Long.MAX_VALUE), wishes(layout, 0));
  }

  @Override
  default Optional<Plan> everything(Shape shape, Budget budget) {
    return CandidatePlan.first(
        MajorCompaction.wishes(new PlanningView(shape), limits()), budget.rewritingAny());
  }

  @Override
  default Optional<Plan> rewrite(Shape shape, Set<Long> slices, Budget budget) {
    return CandidatePlan.first(
        InPlaceRewrite.wishes(new PlanningView(shape), slices, limits()), budget.rewritingAny());
  }
}
