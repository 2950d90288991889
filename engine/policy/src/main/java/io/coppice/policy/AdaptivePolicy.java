// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One rung of the ladder, see {@link Rung}: it plans as the policy of that rung does, within what
 * {@link Budget#rewriteBytes} leaves of the last switch. Which rung that is, {@link Tuner} decides
 * and a host puts in force, as a text like any other; so this, too, is a pure function.
 *
 * <p>The limit never holds writers up: once level 0 has as many runs as it may keep, merges that
 * empty it are made whatever they cost; if there are none such, the cheapest merge that is wanted.
 * The limit delays no merge that removes ended values: in an idle store no flush would raise it.
 */
final class AdaptivePolicy implements WishingPolicy {

  private final WishingPolicy rung;
  private final long restingRuns;

  /**
   * A rung.
   *
   * @param restingRuns that level 0 may keep on any rung
   */
  AdaptivePolicy(WishingPolicy rung, long restingRuns) {
    this.rung = rung;
    this.restingRuns = restingRuns;
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
  public Stream<Wish> wishes(Layout layout, long transientBytes) {
    return rung.wishes(layout, transientBytes);
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
    Layout layout = new Layout(shape);
    List<Layout.PlacedRun> flushes = layout.filledRuns(0);
    boolean full = flushes.size() > restingRuns;
    Budget any = budget.rewritingAny();
    return (full ? urgent(layout, flushes, any) : Optional.<Plan>empty())
        .or(() -> rung.next(shape, budget))
        .or(() -> full ? cheapest(layout, any) : Optional.empty())
        .or(() -> Wish.first(Renewal.ofEnded(layout, limits()), any));
  }

  /** The first plan that takes something out of level 0. */
  private Optional<Plan> urgent(Layout layout, List<Layout.PlacedRun> flushes, Budget budget) {
    Set<Long> waiting = new HashSet<>();
    for (Placed slice : Layout.slicesOf(flushes)) {
      waiting.add(slice.facts().slice());
    }
    Stream<Wish> taking =
        rung.wishes(layout, budget.boundBytes())
            .filter(wish -> wish.plan().slices().stream().anyMatch(waiting::contains));
    return Wish.first(taking, budget);
  }

  /** The plan with the fewest bytes; of equal ones the first. */
  private Optional<Plan> cheapest(Layout layout, Budget budget) {
    return rung.wishes(layout, budget.boundBytes())
        .filter(wish -> !wish.held() && wish.fits(budget.transientBytes()))
        .min((one, other) -> Long.compare(one.bytes(), other.bytes()))
        .flatMap(wish -> Wish.first(Stream.of(wish), budget));
  }
}
