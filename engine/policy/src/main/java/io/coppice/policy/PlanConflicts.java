// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;

/**
 * Conflicts of a plan with running plans. The outputs that a job still has to write count as a
 * slice that covers the job's ranks at its target. No other plan may write or move slices into
 * those ranks of the target run. Under {@link MergeRule#ADJACENT} no slice may pass that position.
 */
final class PlanConflicts {

  private PlanConflicts() {}

  /**
   * Returns whether some job keeps the slices out of the target.
   *
   * @param rewritten whether the plan rewrites: the outputs of a merge or delay may lie anywhere
   *     between its inputs
   */
  static boolean bar(
      PlanningView layout, List<PlacedSlice> slices, Target target, boolean rewritten) {
    List<Shape.Job> jobs = layout.shape().jobs();
    if (jobs.isEmpty()) {
      return false;
    }
    int low = PlacedSlice.low(slices);
    int high = PlacedSlice.high(slices);
    int position = layout.position(target.level(), target.run());
    for (Shape.Job job : jobs) {
      if (job.low() > high || low > job.high()) {
        continue;
      }
      if (sameRun(layout, job, target)
          && (rewritten || slices.stream().anyMatch(slice -> meets(job, slice)))) {
        return true;
      }
      int fence = layout.position(job.level(), job.run());
      if (layout.adjacent()
          && slices.stream()
              .anyMatch(slice -> meets(job, slice) && passes(slice, fence, position))) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a running plan may still write older data over the ranks of a slice. */
  static boolean under(PlanningView layout, PlacedSlice slice) {
    int position = PlanningView.position(slice.run());
    for (Shape.Job job : layout.shape().jobs()) {
      if (meets(job, slice) && layout.position(job.level(), job.run()) >= position) {
        return true;
      }
    }
    return false;
  }

  private static boolean sameRun(PlanningView layout, Shape.Job job, Target target) {
    return job.level() == target.level()
        && !target.isNew()
        && (job.run() == target.run() || !layout.adjacent());
  }

  private static boolean meets(Shape.Job job, PlacedSlice slice) {
    return slice.low() <= job.high() && job.low() <= slice.high();
  }

  private static boolean passes(PlacedSlice slice, int fence, int target) {
    return Integer.signum(PlanningView.position(slice.run()) - fence)
        != Integer.signum(target - fence);
  }
}
