// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import io.coppice.policy.Target;
import io.coppice.policy.pick.CandidatePlan;
import io.coppice.policy.pick.MergeLimits;
import io.coppice.policy.pick.OverlapCluster;
import io.coppice.policy.pick.PlacedSlice;
import io.coppice.policy.pick.PlanningView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Output level of a leveled merge: its newest run, the contents of that run, and the target that
 * plans name. A merge takes each segment that it overlaps there as a whole, because the slices of a
 * segment overlap.
 *
 * <p>In an <em>overlapping</em> level whole tables may overlap, as delays arrange them under {@link
 * MergeRule#FREE}. All runs of such a level receive slices, and plans need not name one.
 */
final class OutputLevel {

  private final PlanningView view;
  private final int vct;
  private final MergeLimits limits;
  private final Target target;
  private final List<PlanningView.PlacedRun> runs;
  private final boolean firstRunPending;

  /**
   * Creates the output level.
   *
   * @param vct table count below which merges are delayed; 0 and 1 delay none
   */
  OutputLevel(PlanningView view, int level, int vct, MergeLimits limits) {
    this.view = view;
    this.vct = vct;
    this.limits = limits;
    List<PlanningView.PlacedRun> all = view.runs(level);
    boolean allowsOverlap = allowsOverlap(view, vct);
    runs = allowsOverlap || all.isEmpty() ? all : all.subList(0, 1);
    target =
        allowsOverlap || all.isEmpty() ? Target.newest(level) : Target.join(level, all.get(0).id());
    // A running job may create the level's first run; a second plan would create another run beside
    // it.
    firstRunPending =
        view.adjacent()
            && all.isEmpty()
            && view.shape().runningPlans().stream().anyMatch(job -> job.level() == level);
  }

  MergeLimits limits() {
    return limits;
  }

  /** Returns whether tables of one level may overlap: under FREE, with delays. */
  static boolean allowsOverlap(PlanningView view, int vct) {
    return !view.adjacent() && vct > 1;
  }

  /** Returns the runs that receive slices: the newest, or all of an overlapping level. */
  List<PlanningView.PlacedRun> runs() {
    return runs;
  }

  /**
   * Returns the slices of this level whose segments overlap the ranks {@code low} to {@code high},
   * both inclusive, run by run, by ascending rank.
   */
  List<PlacedSlice> overlapping(int low, int high) {
    List<PlacedSlice> over = new ArrayList<>();
    for (PlanningView.PlacedRun run : runs) {
      over.addAll(run.overlapping(low, high));
    }
    return over;
  }

  /**
   * Returns a plan that brings slices into this level together with the slices that they overlap
   * here. It is a merge, or a delay if fewer than {@code vct} tables take part (dCompaction,
   * algorithm 1). Only distinct tables count, and a delay lists tables, never other virtual
   * segments; its result therefore has at most {@code vct - 1} parents. A delay into an overlapping
   * level takes only {@code slices}.
   *
   * @param slices slices of whole segments of another level
   * @param met overlapped slices of this level, in whole segments
   */
  CandidatePlan mergeOrDelay(List<PlacedSlice> slices, List<PlacedSlice> met, Reason reason) {
    List<PlacedSlice> all = new ArrayList<>(slices);
    all.addAll(met);
    if (vct <= 1) {
      return CandidatePlan.merge(view, all, target, reason, limits).blockedIf(firstRunPending);
    }
    boolean allowsOverlap = allowsOverlap(view, vct);
    int tables = allowsOverlap ? depth(all) : PlacedSlice.tables(all);
    Reason counted = reason.and("{tables} tables, vct is {vct}", "tables", tables, "vct", vct);
    if (tables >= vct) {
      return CandidatePlan.merge(view, all, target, counted, limits).blockedIf(firstRunPending);
    }
    // Whole tables of a level are independent, so a delay may take some of them.
    return allowsOverlap
        ? CandidatePlan.delay(
            view,
            slices.subList(0, Math.min(slices.size(), Plan.Delay.MAX_TABLES)),
            target,
            1,
            counted)
        : CandidatePlan.delay(view, all, target, segments(all), counted).blockedIf(firstRunPending);
  }

  /** Returns the overlap depth: the largest number of tables that overlap one key. */
  private static int depth(List<PlacedSlice> slices) {
    return OverlapCluster.of(slices).stream().mapToInt(OverlapCluster::depth).max().orElse(0);
  }

  private int segments(List<PlacedSlice> slices) {
    long bytes = PlacedSlice.bytes(slices);
    long segments = Math.round((double) bytes / limits.tableBytes());
    return (int) Math.max(1, Math.min(Plan.Delay.MAX_SEGMENTS, segments));
  }

  /**
   * Returns a move into this level of those slices that no running plan blocks. The answer is empty
   * if all are blocked, and while a running plan may create the level's first run.
   */
  Optional<CandidatePlan> move(List<PlacedSlice> slices, Reason reason) {
    return firstRunPending ? Optional.empty() : CandidatePlan.move(view, slices, target, reason);
  }
}
