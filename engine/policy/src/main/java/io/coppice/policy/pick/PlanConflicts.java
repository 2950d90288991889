// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.MergeRule;
import io.coppice.policy.Shape;
import io.coppice.policy.Target;
import java.util.List;

/**
 * Conflicts of a plan with running plans. The outputs that a running plan still has to write count
 * as a slice that covers its ranks at its target. No other plan may write or move slices into those
 * ranks of the target run. Under {@link MergeRule#ADJACENT} no slice may pass that position.
 */
public final class PlanConflicts {

  private PlanConflicts() {}

  /**
   * Returns whether a running plan forbids bringing the slices to the target, because its outputs
   * would overlap them there or be passed by them.
   *
   * @param rewritten whether the plan rewrites: the outputs of a merge or delay may have any rank
   *     between those of its inputs
   */
  public static boolean existFor(
      PlanningView view, List<PlacedSlice> slices, Target target, boolean rewritten) {
    List<Shape.RunningPlan> jobs = view.shape().runningPlans();
    if (jobs.isEmpty()) {
      return false;
    }
    int low = PlacedSlice.low(slices);
    int high = PlacedSlice.high(slices);
    int position = view.agePosition(target.level(), target.run());
    for (Shape.RunningPlan job : jobs) {
      if (job.low() > high || low > job.high()) {
        continue;
      }
      if (sameRun(view, job, target)
          && (rewritten || slices.stream().anyMatch(slice -> meets(job, slice)))) {
        return true;
      }
      int fence = view.agePosition(job.level(), job.run());
      if (view.adjacent()
          && slices.stream()
              .anyMatch(slice -> meets(job, slice) && passes(slice, fence, position))) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a running plan may still write older data over the ranks of a slice. */
  public static boolean mayWriteBelow(PlanningView view, PlacedSlice slice) {
    int position = PlanningView.agePosition(slice.run());
    for (Shape.RunningPlan job : view.shape().runningPlans()) {
      if (meets(job, slice) && view.agePosition(job.level(), job.run()) >= position) {
        return true;
      }
    }
    return false;
  }

  private static boolean sameRun(PlanningView view, Shape.RunningPlan job, Target target) {
    return job.level() == target.level()
        && !target.isNew()
        && (job.run() == target.run() || !view.adjacent());
  }

  private static boolean meets(Shape.RunningPlan job, PlacedSlice slice) {
    return slice.low() <= job.high() && job.low() <= slice.high();
  }

  private static boolean passes(PlacedSlice slice, int fence, int target) {
    return Integer.signum(PlanningView.agePosition(slice.run()) - fence)
        != Integer.signum(target - fence);
  }
}
