// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.WritePressure;
import io.coppice.base.thread.Workers;
import io.coppice.policy.Plan;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Slot preemption: selects the merge that gives its slot to an urgent plan when all slots are busy.
 * SILK (Balmau and others 2019) gives merges of flushes the same precedence; the rules below are
 * Coppice's own.
 *
 * <p>A plan is urgent if writers are slowed down and it takes flushes out of level 0, or the policy
 * prefers it to such a plan. It preempts a merge with much more left to read than it reads itself.
 * Once writers are near stopping, a plan that takes flushes preempts any merge that takes none. The
 * candidate with most left to read ends at its next table and is planned again later. It has then
 * advanced by at least one table, so no merge starves. Guarded by the compactor's lock.
 */
final class SlotPreemption {

  /** Write pressure that counts as near stopping; writers stop at 1. */
  static final double NEAR_STOP = 0.75;

  /**
   * A merge has much more left to read if it is at least this multiple of the plan's input bytes.
   */
  static final int MUCH_LESS_FACTOR = 4;

  private final Workers workers;
  private final FairPlanScheduler planners;
  private final CompactionSlots slots;

  /** Urgent plan that waits for the slot of a preempted merge, or null. */
  private FairPlanScheduler.Proposal urgent;

  SlotPreemption(Workers workers, FairPlanScheduler planners, CompactionSlots slots) {
    this.workers = workers;
    this.planners = planners;
    this.slots = slots;
  }

  /**
   * Lets a merge give its slot to an urgent plan if all slots are busy and no plan waits yet. Does
   * not wait for the end of the merge; {@link #take} returns the plan then.
   *
   * @param pressure write pressure; writers stop from 1 on
   * @throws FairPlanScheduler.FailedException if a policy failed to answer
   */
  void seek(double pressure) {
    if (urgent != null || !slots.areBusy() || !isWorthAsking(slots.running(), pressure)) {
      return;
    }
    planners
        .next(workers.nanoTime())
        .filter(next -> next.plan() instanceof Plan.Merge)
        .ifPresent(next -> yieldTo(next, (Plan.Merge) next.plan(), pressure));
  }

  private void yieldTo(FairPlanScheduler.Proposal next, Plan.Merge plan, double pressure) {
    if (!next.planner().relievesWriters(plan)) {
      return;
    }
    boolean ofFlushes = next.planner().takesFlushes(plan);
    long bytes = plan.reason().cost().readBytes();
    to(ofFlushes, bytes, slots.running(), pressure)
        .ifPresent(
            merge -> {
              urgent = next;
              slots.end(other -> other == merge, CompactionJob.End.AFTER_TABLE);
            });
  }

  /** Returns the urgent plan that waits for a slot, and forgets it; null if there is none. */
  FairPlanScheduler.Proposal take() {
    FairPlanScheduler.Proposal taken = urgent;
    urgent = null;
    return taken;
  }

  /** Forgets the urgent plan that waits. */
  void forget() {
    urgent = null;
  }

  /** Forgets the waiting plan if it is one of this family. */
  void forget(FamilyPlanner planner) {
    if (urgent != null && urgent.planner() == planner) {
      urgent = null;
    }
  }

  /**
   * Returns whether a search for an urgent plan can succeed: writers are slowed, and no running
   * merge is ending.
   */
  static boolean isWorthAsking(List<CompactionJob> running, double pressure) {
    return pressure >= WritePressure.FREE && running.stream().noneMatch(CompactionJob::ending);
  }

  /**
   * Returns the merge that gives up its slot, if any.
   *
   * @param ofFlushes whether the urgent plan takes flushes out of level 0
   * @param inputBytes input bytes of the urgent plan
   * @param pressure write pressure; writers stop from 1 on
   */
  static Optional<CompactionJob> to(
      boolean ofFlushes, long inputBytes, List<CompactionJob> running, double pressure) {
    if (pressure < WritePressure.FREE) {
      return Optional.empty();
    }
    return running.stream()
        .filter(
            merge ->
                inputBytes <= merge.bytesLeft() / MUCH_LESS_FACTOR
                    || (ofFlushes
                        && pressure >= NEAR_STOP
                        && !merge.subcompaction().takesLevelZero()))
        .max(Comparator.comparingLong(CompactionJob::bytesLeft));
  }
}
