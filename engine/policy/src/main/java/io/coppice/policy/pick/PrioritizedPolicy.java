// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.Shape;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A policy that is one list of candidate plans, most urgent first. Implementations are immutable.
 */
public interface PrioritizedPolicy extends Policy {

  /**
   * Returns the candidate plans of a shape, most urgent first.
   *
   * @param transientBytes transient bytes that one plan may take, {@link Long#MAX_VALUE} for any
   *     number; the policy may offer smaller jobs in place of those that exceed it
   */
  Stream<CandidatePlan> candidates(PlanningView view, long transientBytes);

  /** Returns the limits of every merge of this policy. */
  MergeLimits limits();

  @Override
  default Optional<Plan> next(Shape shape, Budget budget) {
    return CandidatePlan.first(candidates(new PlanningView(shape), budget.boundBytes()), budget);
  }

  @Override
  default Backlog backlog(Shape shape) {
    PlanningView view = new PlanningView(shape.unclaimed());
    return CandidatePlan.backlog(candidates(view, Long.MAX_VALUE), candidates(view, 0));
  }

  @Override
  default Optional<Plan> everything(Shape shape, Budget budget) {
    return CandidatePlan.first(
        MajorCompaction.candidates(new PlanningView(shape), limits()), budget.rewritingAny());
  }

  @Override
  default Optional<Plan> rewrite(Shape shape, Set<Long> slices, Budget budget) {
    return CandidatePlan.first(
        InPlaceRewrite.candidates(new PlanningView(shape), slices, limits()),
        budget.rewritingAny());
  }
}
