// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.ClosedException;
import io.coppice.policy.DecisionJournal;
import io.coppice.policy.Plan;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The planners of all families, which share threads and transient space. Guarded by the compactor's
 * lock.
 *
 * <p>Families are served fairly by the bytes that their merges read (start-time fair queueing,
 * Goyal and others 1996): each merge advances its family's own time by its bytes, and the family
 * whose time is least is asked first. One that wanted nothing for a while begins at the time of the
 * merge that started last, so it can neither be starved nor save up.
 */
final class Planners {

  /** A plan and who made it. */
  record Proposal(Planner planner, Plan plan) {}

  /** A policy could not be asked. */
  static final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Planner planner;

    FailedException(Planner planner, Throwable cause) {
      super(cause);
      this.planner = planner;
    }

    Planner planner() {
      return planner;
    }
  }

  /** Backlog is no debt to speak of below so many times what is in tables. */
  private static final int FREE_READS = 2;

  /** Nor below so many memtables: a small store is merged soon. */
  private static final int FREE_FLUSHES = 64;

  private final DecisionJournal journal;
  private final long maxTransientBytes;
  private final Map<Integer, Planner> planners = new TreeMap<>();
  private long time;

  /**
   * Makes an empty set.
   *
   * @param journal is told what the policies decide
   * @param maxTransientBytes by how much all merges together may fill the disk at any instant
   */
  Planners(DecisionJournal journal, long maxTransientBytes) {
    this.journal = journal;
    this.maxTransientBytes = maxTransientBytes;
  }

  void add(CompactedFamily family) {
    planners.put(
        family.number(), new Planner(family, journal, maxTransientBytes, this::transientBytesLeft));
  }

  void remove(int family) {
    planners.remove(family);
  }

  /**
   * The planner of a living family.
   *
   * @throws ClosedException if it was dropped
   */
  Planner of(int family) {
    Planner planner = planners.get(family);
    if (planner == null) {
      throw new ClosedException("family " + family + ", which was dropped,");
    }
    return planner;
  }

  Collection<Planner> all() {
    return planners.values();
  }

  /** True while no merge is claimed. */
  boolean idle() {
    return planners.values().stream().allMatch(Planner::idle);
  }

  /**
   * The first plan that a policy wants, the family served least asked first. One that rests after a
   * failure is not asked, so that it keeps no other waiting.
   */
  Optional<Proposal> next(long now) {
    List<Planner> inTurn = new ArrayList<>(planners.values());
    inTurn.sort(Comparator.comparingLong(planner -> Math.max(planner.time(), time)));
    for (Planner planner : inTurn) {
      if (planner.stopped() || isResting(planner, now)) {
        continue;
      }
      Optional<Plan> plan = ask(planner);
      if (plan.isPresent()) {
        return Optional.of(new Proposal(planner, plan.get()));
      }
      planner.endRest();
      notePlannedNothing(planner, now);
    }
    return Optional.empty();
  }

  private static void notePlannedNothing(Planner planner, long now) {
    try {
      planner.plannedNothing(now);
    } catch (RuntimeException | Error e) {
      throw new FailedException(planner, e);
    }
  }

  private static boolean isResting(Planner planner, long now) {
    long rest = planner.restNanos(now);
    return rest > 0 && rest != Long.MAX_VALUE;
  }

  /** When the first rest is over: not positive if one is; the largest long if nobody rests. */
  long restNanos(long now) {
    return planners.values().stream()
        .filter(planner -> !planner.stopped())
        .mapToLong(planner -> planner.restNanos(now))
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /**
   * Returns how long after the last question time alone may change some policy's mind. A policy
   * that rests after a failure is not asked before its rest is over.
   */
  long endsNanos(long now) {
    return planners.values().stream()
        .filter(planner -> !planner.stopped() && !isResting(planner, now))
        .mapToLong(Planner::endsNanos)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** The failure of some family's last plan, or null. */
  Throwable failure() {
    for (Planner planner : planners.values()) {
      if (planner.failure() != null) {
        return planner.failure();
      }
    }
    return null;
  }

  /** Asks every policy, for the journal's sake. */
  void askAll() {
    for (Planner planner : planners.values()) {
      planner.next();
    }
  }

  private static Optional<Plan> ask(Planner planner) {
    try {
      return planner.hasNothing() ? Optional.empty() : planner.next();
    } catch (RuntimeException | Error e) {
      throw new FailedException(planner, e);
    }
  }

  /** True if some policy wants something now. Nothing is decided, so nothing is noted. */
  boolean wantMore() {
    return planners.values().stream()
        .anyMatch(planner -> !planner.stopped() && planner.wantsMore());
  }

  /** Charges the input bytes of a merge that has begun to the time and the form of its family. */
  void charge(Planner planner, long bytes) {
    time = Math.max(time, planner.time());
    planner.time(time + bytes);
    planner.charge(bytes);
  }

  /** What the policies wanted done when they were asked last, relative to what there was. */
  double backlogDebt(long flushBytes) {
    double wanted = 0;
    double present = (double) FREE_FLUSHES * flushBytes;
    for (Planner planner : planners.values()) {
      wanted += planner.wantedBytes();
      present += FREE_READS * (double) planner.presentBytes();
    }
    return wanted / present;
  }

  /** What running merges leave of the space. */
  private long transientBytesLeft() {
    long left = maxTransientBytes;
    if (left == Long.MAX_VALUE) {
      return left;
    }
    for (Planner planner : planners.values()) {
      left -= Math.min(left, planner.transientBytes());
    }
    return left;
  }
}
