// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The way into a level of leveled: its newest run, what that holds, and the target that plans name.
 * A segment is taken whole, as its slices lie over each other.
 */
final class Entrance {

  private final Layout layout;
  private final MergeLimits limits;
  private final Target target;
  private final Optional<Layout.PlacedRun> run;
  private final boolean awaited;

  Entrance(Layout layout, int level, MergeLimits limits) {
    this.layout = layout;
    this.limits = limits;
    List<Layout.PlacedRun> runs = layout.runs(level);
    run = runs.stream().findFirst();
    target = run.map(newest -> Target.join(level, newest.id())).orElse(Target.newest(level));
    // A job may be about to bring the level's first run; a second one would lie beside it.
    awaited =
        layout.adjacent()
            && runs.isEmpty()
            && layout.shape().jobs().stream().anyMatch(job -> job.level() == level);
  }

  /** The segments there, by ascending rank. */
  List<SegmentFacts> segments() {
    return run.map(newest -> newest.facts().segments()).orElse(List.of());
  }

  /** The residents over the ranks, both inclusive, by ascending rank. */
  List<Placed> over(int low, int high) {
    return run.map(newest -> newest.over(low, high)).orElse(List.of());
  }

  /** A merge of the slices and of the residents they meet. */
  Wish merge(List<Placed> slices, List<Placed> met, Reason reason) {
    List<Placed> all = new ArrayList<>(slices);
    all.addAll(met);
    return Wish.merge(layout, all, target, reason, limits).holding(awaited);
  }

  Optional<Wish> move(List<Placed> slices, Reason reason) {
    return awaited ? Optional.empty() : Wish.move(layout, slices, target, reason);
  }
}
