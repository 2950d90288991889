// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.PlanCost;
import io.coppice.policy.Reason;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.Target;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Candidate plan: a plan that the policy would take, startable now or blocked. Policies return
 * candidates as lazy streams, most preferred first, so that a request for the next plan costs no
 * more than necessary.
 *
 * @param plan the plan, with the cleaning threshold and the cost under an unlimited budget
 * @param inputBytes bytes on disk of the inputs of a merge; 0 for a plan that changes only metadata
 * @param tableBytes size that outputs are cut to, in bytes
 * @param straddlingBytes bytes on disk of inputs that the merge can release only once it has passed
 *     them, see {@link #straddling}
 * @param blocked whether a claimed slice or a running plan keeps it from starting
 */
public record CandidatePlan(
    Plan plan, long inputBytes, long tableBytes, long straddlingBytes, boolean blocked) {

  /**
   * Returns the streams one after the other. It makes each stream only when those before it are
   * exhausted.
   */
  public static Stream<CandidatePlan> concat(List<Supplier<Stream<CandidatePlan>>> turns) {
    return LazyConcat.of(turns.stream(), Supplier::get);
  }

  /** Returns a merge of the slices, given in any order. */
  public static CandidatePlan merge(
      PlanningView view,
      List<PlacedSlice> slices,
      Target target,
      Reason reason,
      MergeLimits limits) {
    long inputBytes = 0;
    boolean blocked = PlanConflicts.existFor(view, slices, target, true);
    for (PlacedSlice slice : slices) {
      inputBytes += slice.bytes();
      blocked |= slice.claimed();
    }
    long straddling = straddling(slices);
    int threshold = limits.cleaningThreshold();
    Reason costed =
        reason.costing(forecast(inputBytes, threshold, limits.tableBytes(), straddling));
    Plan plan = new Plan.Merge(ids(slices), target, threshold, costed);
    return new CandidatePlan(plan, inputBytes, limits.tableBytes(), straddling, blocked);
  }

  /**
   * Returns a move of those slices that no running plan blocks, given in any order; empty if all
   * are blocked.
   */
  public static Optional<CandidatePlan> move(
      PlanningView view, Collection<PlacedSlice> slices, Target target, Reason reason) {
    List<PlacedSlice> free = new ArrayList<>();
    for (PlacedSlice slice : slices) {
      if (!slice.claimed() && !PlanConflicts.existFor(view, List.of(slice), target, false)) {
        free.add(slice);
      }
    }
    return free.isEmpty()
        ? Optional.empty()
        : Optional.of(ofMetadata(new Plan.Move(ids(free), target, reason), false));
  }

  /** Returns a delay of the slices, which are whole segments in any order. */
  public static CandidatePlan delay(
      PlanningView view, List<PlacedSlice> slices, Target target, int segments, Reason reason) {
    boolean blocked =
        PlanConflicts.existFor(view, slices, target, true) || PlacedSlice.claimed(slices);
    return ofMetadata(new Plan.Delay(ids(slices), target, segments, reason), blocked);
  }

  /**
   * Returns a delay that cuts segments of one run in two, after the last key of a slice, and moves
   * no data.
   *
   * @param slices all slices of those segments, in any order
   * @param own the run that holds the segments
   * @param after id of the slice after whose last key the segments are cut
   */
  public static CandidatePlan cut(
      PlanningView view, List<PlacedSlice> slices, Target own, long after, Reason reason) {
    CandidatePlan delay = delay(view, slices, own, 2, reason);
    return ofMetadata(new Plan.Delay(delay.plan.slices(), own, 2, after, reason), delay.blocked);
  }

  /** Returns a drop of unclaimed slices, given in any order. */
  static CandidatePlan drop(List<PlacedSlice> slices, Reason reason) {
    return ofMetadata(new Plan.Drop(ids(slices), reason), false);
  }

  /** Returns a plan that changes only metadata. */
  static CandidatePlan ofMetadata(Plan plan, boolean blocked) {
    return new CandidatePlan(plan, 0, 0, 0, blocked);
  }

  /** Returns this candidate, blocked if the flag is set. */
  public CandidatePlan blockedIf(boolean also) {
    return also ? new CandidatePlan(plan, inputBytes, tableBytes, straddlingBytes, true) : this;
  }

  /**
   * Returns whether a limit other than space keeps this candidate from starting: a running plan or
   * the rewrite budget.
   */
  public boolean isBlocked(Budget budget) {
    return blocked || inputBytes > budget.rewriteBytes();
  }

  /** Returns whether this candidate fits only once running merges have released their space. */
  public boolean awaitsSpace(Budget budget) {
    return !isBlocked(budget) && fits(budget.boundBytes()) && !fits(budget.transientBytes());
  }

  /**
   * Returns the first candidate that may start within the budget, as a plan. While all slots are in
   * use, the answer is empty.
   */
  public static Optional<Plan> first(Stream<CandidatePlan> candidates, Budget budget) {
    if (budget.freeSlots() == 0) {
      return Optional.empty();
    }
    return candidates
        .filter(candidate -> !candidate.isBlocked(budget))
        .map(candidate -> candidate.within(budget.transientBytes()))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /**
   * Returns the backlog that these candidates add up to, blocked ones included; it consumes the
   * stream.
   */
  public static Backlog backlog(Stream<CandidatePlan> candidates) {
    long inputBytes = 0;
    int plans = 0;
    long headroom = Long.MAX_VALUE;
    for (CandidatePlan candidate : (Iterable<CandidatePlan>) candidates::iterator) {
      inputBytes += candidate.inputBytes;
      plans++;
      headroom = Math.min(headroom, candidate.headroomBytes());
    }
    return plans == 0 ? Backlog.NONE : new Backlog(inputBytes, plans, headroom);
  }

  /**
   * Returns the backlog of a policy that offers smaller jobs when space is short.
   *
   * @param candidates the candidates without a limit of space; they give the bytes and the plans
   * @param smallest the candidates when there is no space at all; they give the headroom
   */
  static Backlog backlog(Stream<CandidatePlan> candidates, Stream<CandidatePlan> smallest) {
    Backlog backlog = backlog(candidates);
    long headroom = backlog(smallest).headroomBytes();
    return new Backlog(backlog.bytes(), backlog.plans(), headroom);
  }

  /**
   * Returns the candidates of a job. It halves the number of runs until their plans fit, down to
   * two runs, whose plans may exceed the limit.
   *
   * @param whole whether the first plan begins a run that all others must join, so that all must
   *     fit; otherwise one fitting plan is enough
   * @param width runs of the whole job, at least 1
   * @param job returns the candidates of the job on the given number of runs
   * @param transientBytes limit of transient space in bytes; {@link Long#MAX_VALUE} means no limit
   */
  public static Stream<CandidatePlan> shrunkToSpace(
      boolean whole, int width, IntFunction<Stream<CandidatePlan>> job, long transientBytes) {
    int runs = width;
    while (runs > 2
        && transientBytes < Long.MAX_VALUE
        && !mayBegin(whole, job.apply(runs), transientBytes)) {
      runs = Math.max(2, runs / 2);
    }
    return job.apply(runs);
  }

  private static boolean mayBegin(boolean whole, Stream<CandidatePlan> job, long transientBytes) {
    boolean fits = false;
    for (CandidatePlan candidate : (Iterable<CandidatePlan>) job::iterator) {
      fits = candidate.fits(transientBytes) || (!whole && candidate.blocked);
      if (fits != whole) {
        break;
      }
    }
    return fits;
  }

  /**
   * Returns whether the transient space suffices when the merge releases its inputs after every
   * output.
   */
  public boolean fits(long transientBytes) {
    return headroomBytes() <= transientBytes;
  }

  /**
   * Returns the plan with a cleaning threshold that fits the transient space; empty if none fits.
   */
  private Optional<Plan> within(long transientBytes) {
    if (!(plan instanceof Plan.Merge merge)
        || merge.reason().cost().transientBytes() <= transientBytes) {
      return Optional.of(plan);
    }
    if (!fits(transientBytes)) {
      return Optional.empty();
    }
    int threshold = (int) ((transientBytes - straddlingBytes) / tableBytes);
    Reason reason =
        merge.reason().costing(forecast(inputBytes, threshold, tableBytes, straddlingBytes));
    return Optional.of(new Plan.Merge(merge.slices(), merge.target(), threshold, reason));
  }

  private long headroomBytes() {
    if (!(plan instanceof Plan.Merge merge)) {
      return 0;
    }
    int least = Math.min(1, merge.cleaningThreshold());
    return forecast(inputBytes, least, tableBytes, straddlingBytes).transientBytes();
  }

  private static PlanCost forecast(
      long inputBytes, int threshold, long tableBytes, long straddling) {
    long stepwise =
        tableBytes > (Long.MAX_VALUE - straddling) / Math.max(1, threshold)
            ? Long.MAX_VALUE
            : threshold * tableBytes + straddling;
    return new PlanCost(
        inputBytes, inputBytes, threshold == 0 ? inputBytes : Math.min(inputBytes, stepwise));
  }

  /**
   * Returns the bytes on disk of inputs that a merge cannot release at its position: the largest
   * segment of each run. A slice smaller than its table may share it with others. The table stays
   * until the merge has passed the last of them, or longer; such a slice therefore counts whole.
   */
  public static long straddling(List<PlacedSlice> slices) {
    long inputBytes = 0;
    for (List<PlacedSlice> run : byRun(slices)) {
      long largest = 0;
      long segment = 0;
      int low = 0;
      for (PlacedSlice slice : run) {
        SliceFacts facts = slice.facts();
        if (facts.tableBytes() > facts.bytes()) {
          inputBytes += facts.bytes();
          continue;
        }
        segment = (slice.segmentLow() == low ? segment : 0) + facts.bytes();
        low = slice.segmentLow();
        largest = Math.max(largest, segment);
      }
      inputBytes += largest;
    }
    return inputBytes;
  }

  private static List<Long> ids(List<PlacedSlice> slices) {
    List<Long> ids = new ArrayList<>(slices.size());
    for (List<PlacedSlice> run : byRun(slices)) {
      for (PlacedSlice slice : run) {
        ids.add(slice.facts().slice());
      }
    }
    return ids;
  }

  /**
   * Returns the slices run by run in the order of plans, newest run first. They mostly arrive by
   * ascending rank, so sorting run by run costs about one comparison per slice.
   */
  private static List<List<PlacedSlice>> byRun(List<PlacedSlice> slices) {
    List<List<PlacedSlice>> runs = new ArrayList<>();
    for (PlacedSlice slice : slices) {
      while (runs.size() <= slice.run()) {
        runs.add(new ArrayList<>());
      }
      runs.get(slice.run()).add(slice);
    }
    for (List<PlacedSlice> run : runs) {
      run.sort(PlacedSlice.BY_RUN);
    }
    return runs;
  }
}
