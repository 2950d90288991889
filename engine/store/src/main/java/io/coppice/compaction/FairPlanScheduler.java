// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.ClosedException;
import io.coppice.compaction.context.FamilyCompactionContext;
import io.coppice.policy.Plan;
import io.coppice.policy.observe.DecisionJournal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Scheduler for the planners of all families, which share threads and transient space. Guarded by
 * the compactor's lock.
 *
 * <p>Families are served fairly by the bytes that their merges read (start-time fair queueing,
 * Goyal and others 1996). Each merge advances its family's own time by its bytes, and the family
 * with the least time is asked first. An idle family starts at the time of the last started merge,
 * so it gets its turn and accumulates no credit.
 */
final class FairPlanScheduler {

  /** A wanted plan, with the planner of its family. */
  record Proposal(FamilyPlanner planner, Plan plan) {}

  /** Failure of a policy that was asked for a plan. */
  static final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient FamilyPlanner planner;

    FailedException(FamilyPlanner planner, Throwable cause) {
      super(cause);
      this.planner = planner;
    }

    FamilyPlanner planner() {
      return planner;
    }
  }

  /**
   * Number of times that all tables may be read again before the backlog counts fully as write
   * pressure.
   */
  private static final int FREE_READS = 2;

  /**
   * Number of flushes whose bytes are added to {@link #FREE_READS}, because a small store is merged
   * soon.
   */
  private static final int FREE_FLUSHES = 64;

  private final DecisionJournal journal;
  private final long maxTransientBytes;
  private final Map<Integer, FamilyPlanner> planners = new TreeMap<>();

  /** Virtual time of the merge started last, in bytes. */
  private long time;

  /**
   * Creates an empty scheduler.
   *
   * @param journal records the decisions of the policies
   * @param maxTransientBytes largest growth of disk use by all merges together at any instant
   */
  FairPlanScheduler(DecisionJournal journal, long maxTransientBytes) {
    this.journal = journal;
    this.maxTransientBytes = maxTransientBytes;
  }

  void add(FamilyCompactionContext family) {
    add(
        family.number(),
        new FamilyPlanner(family, journal, maxTransientBytes, this::transientBytesLeft));
  }

  void add(int family, FamilyPlanner planner) {
    planners.put(family, planner);
  }

  void remove(int family) {
    planners.remove(family);
  }

  /**
   * Returns the planner of a living family.
   *
   * @throws ClosedException if the family was dropped
   */
  FamilyPlanner of(int family) {
    FamilyPlanner planner = planners.get(family);
    if (planner == null) {
      throw new ClosedException("family " + family + ", which was dropped,");
    }
    return planner;
  }

  Collection<FamilyPlanner> all() {
    return planners.values();
  }

  /** Returns whether no merge is claimed. */
  boolean idle() {
    return planners.values().stream().allMatch(FamilyPlanner::idle);
  }

  /**
   * Returns the first plan that a policy wants, asking the least served family first; empty if none
   * wants one. It skips a family that pauses after a failure, so that others need not wait for it.
   *
   * @param now nanoseconds of the workers' clock
   * @throws FailedException if a policy failed to answer or its plan is illegal
   */
  Optional<Proposal> next(long now) {
    List<FamilyPlanner> inTurn = new ArrayList<>(planners.values());
    inTurn.sort(Comparator.comparingLong(planner -> Math.max(planner.time(), time)));
    for (FamilyPlanner planner : inTurn) {
      if (planner.stopped() || isResting(planner, now)) {
        continue;
      }
      Optional<Plan> plan = ask(planner);
      if (plan.isPresent()) {
        return Optional.of(new Proposal(planner, plan.get()));
      }
      if (!planner.retry().restsForSpace(now)) {
        planner.retry().end();
        notePlannedNothing(planner, now);
      }
    }
    return Optional.empty();
  }

  private static void notePlannedNothing(FamilyPlanner planner, long now) {
    try {
      planner.plannedNothing(now);
    } catch (RuntimeException | Error e) {
      throw new FailedException(planner, e);
    }
  }

  private static boolean isResting(FamilyPlanner planner, long now) {
    long rest = planner.retry().leftNanos(now);
    return rest > 0 && rest != Long.MAX_VALUE;
  }

  /**
   * Returns the nanoseconds until the first pause after a failure ends: 0 or less if one has ended,
   * {@link Long#MAX_VALUE} if there is none.
   */
  long retryDelayNanos(long now) {
    return planners.values().stream()
        .filter(planner -> !planner.stopped())
        .mapToLong(planner -> planner.retry().leftNanos(now))
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /**
   * Returns the nanoseconds from the last update of the estimates until some policy may answer
   * differently although nothing happened, because values expire or an estimate is due. A policy
   * that pauses after a failure is not asked before its pause ends.
   */
  long endsNanos(long now) {
    return planners.values().stream()
        .filter(planner -> !planner.stopped() && !isResting(planner, now))
        .mapToLong(FamilyPlanner::endsNanos)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /**
   * Returns the failure of the last plan of the first family that has one, by number; null if there
   * is none.
   */
  Throwable failure() {
    for (FamilyPlanner planner : planners.values()) {
      if (planner.retry().failure() != null) {
        return planner.retry().failure();
      }
    }
    return null;
  }

  /** Asks every policy for a plan, only to record the answers in the journal. */
  void askAll() {
    for (FamilyPlanner planner : planners.values()) {
      planner.next();
    }
  }

  private static Optional<Plan> ask(FamilyPlanner planner) {
    try {
      return planner.hasNothing() ? Optional.empty() : planner.next();
    } catch (RuntimeException | Error e) {
      throw new FailedException(planner, e);
    }
  }

  /** Returns whether some policy wants a plan now. The journal does not record this request. */
  boolean wantMore() {
    return planners.values().stream()
        .anyMatch(planner -> !planner.stopped() && planner.wantsMore());
  }

  /**
   * Charges the input bytes of a started merge to the time and the rewrite budget of its family.
   */
  void charge(FamilyPlanner planner, Plan plan, long bytes) {
    time = Math.max(time, planner.time());
    planner.time(time + bytes);
    planner.charge(plan, bytes);
  }

  /**
   * Returns the bytes that the policies wanted to read when each was last asked for a plan, as a
   * multiple of twice the bytes of all tables plus 64 flushes.
   */
  double backlogPressure(long flushBytes) {
    double wanted = 0;
    double present = (double) FREE_FLUSHES * flushBytes;
    for (FamilyPlanner planner : planners.values()) {
      wanted += planner.wantedBytes();
      present += FREE_READS * (double) planner.presentBytes();
    }
    return wanted / present;
  }

  /** Returns the bytes of transient space that running merges leave. */
  private long transientBytesLeft() {
    long left = maxTransientBytes;
    if (left == Long.MAX_VALUE) {
      return left;
    }
    for (FamilyPlanner planner : planners.values()) {
      left -= Math.min(left, planner.transientBytes());
    }
    return left;
  }
}
