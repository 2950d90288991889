// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.ReadTerms;
import io.coppice.policy.Shape;
import io.coppice.policy.pick.CandidatePlan;
import io.coppice.policy.pick.DeletionPicker;
import io.coppice.policy.pick.InPlaceRewrite;
import io.coppice.policy.pick.MergeLimits;
import io.coppice.policy.pick.PlacedSlice;
import io.coppice.policy.pick.PlanningView;
import io.coppice.policy.pick.PrioritizedPolicy;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One rung of the {@code adaptive} ladder, see {@code AdaptiveRung}. It plans as the policy of that
 * rung does, within the rewrite budget {@link Budget#rewriteBytes} that remains of the last rung
 * switch. A {@code Tuner} chooses the rung, and the host puts it in force as policy text. The class
 * itself is therefore a pure function.
 *
 * <p>The rewrite budget never stops writers. Once level 0 has more runs than it may keep, the
 * policy takes the first merge that empties level 0, whatever it costs. If there is no such merge,
 * it takes the cheapest one that is wanted. The budget also exempts rewrites of expired values,
 * because in an idle store no flush would raise it. Immutable.
 */
public final class AdaptivePolicy implements PrioritizedPolicy {

  private final PrioritizedPolicy rung;
  private final long toleratedRuns;

  /**
   * Creates the policy of one rung.
   *
   * @param rung the policy that the rung stands for
   * @param toleratedRuns runs that level 0 may keep on any rung
   */
  public AdaptivePolicy(PrioritizedPolicy rung, long toleratedRuns) {
    this.rung = rung;
    this.toleratedRuns = toleratedRuns;
  }

  @Override
  public MergeLimits limits() {
    return rung.limits();
  }

  @Override
  public int mergeOnRead() {
    return rung.mergeOnRead();
  }

  @Override
  public ReadTerms readTerms() {
    return rung.readTerms();
  }

  @Override
  public Set<Long> requestsThatFit(Shape shape, long transientBytes) {
    return rung.requestsThatFit(shape, transientBytes);
  }

  @Override
  public Stream<CandidatePlan> candidates(PlanningView view, long transientBytes) {
    return rung.candidates(view, transientBytes);
  }

  @Override
  public Backlog backlog(Shape shape) {
    return rung.backlog(shape);
  }

  @Override
  public Optional<Plan> next(Shape shape, Budget budget) {
    if (budget.rewriteBytes() == Long.MAX_VALUE) {
      return rung.next(shape, budget);
    }
    PlanningView view = new PlanningView(shape);
    List<PlanningView.PlacedRun> flushes = view.nonEmptyRuns(0);
    boolean full = flushes.size() > toleratedRuns;
    Budget any = budget.rewritingAny();
    return (full ? urgent(view, flushes, any) : Optional.<Plan>empty())
        .or(() -> rung.next(shape, budget))
        .or(() -> full ? cheapest(view, any) : Optional.empty())
        .or(() -> CandidatePlan.first(InPlaceRewrite.ofEnded(view, limits()), any))
        .or(() -> deleted(view) ? rung.next(shape, any) : Optional.empty());
  }

  /**
   * Returns whether deletions prevail, see {@link DeletionPicker#prevail}. Merges then remove more
   * than they write and need no rewrite budget.
   */
  private boolean deleted(PlanningView view) {
    return DeletionPicker.prevail(view, limits());
  }

  /**
   * Returns the first plan within the budget that uses a slice of level 0, or empty if there is
   * none.
   */
  private Optional<Plan> urgent(
      PlanningView view, List<PlanningView.PlacedRun> flushes, Budget budget) {
    Set<Long> waiting = new HashSet<>();
    for (PlacedSlice slice : PlanningView.slicesOf(flushes)) {
      waiting.add(slice.facts().slice());
    }
    Stream<CandidatePlan> taking =
        rung.candidates(view, budget.boundBytes())
            .filter(candidate -> candidate.plan().slices().stream().anyMatch(waiting::contains));
    return CandidatePlan.first(taking, budget);
  }

  /**
   * Returns the plan within the budget with the fewest input bytes; of equal ones the first; empty
   * if there is none.
   */
  private Optional<Plan> cheapest(PlanningView view, Budget budget) {
    return rung.candidates(view, budget.boundBytes())
        .filter(candidate -> !candidate.blocked() && candidate.fits(budget.transientBytes()))
        .min((one, other) -> Long.compare(one.inputBytes(), other.inputBytes()))
        .flatMap(candidate -> CandidatePlan.first(Stream.of(candidate), budget));
  }
}
