// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Slices rewritten inside their own runs, as the host knows of something in them that would not be
 * written again. Segments side by side become one merge, so that its tables fill up; one that need
 * not be rewritten, or is claimed, ends a merge. Ours.
 */
final class Renewal {

  private Renewal() {}

  /** The merges, newest run first and by ascending rank. */
  static Stream<Wish> wishes(Layout layout, Set<Long> slices, MergeLimits limits) {
    return Chain.of(layout.runs().stream(), run -> wishes(layout, run, slices, limits));
  }

  private static Stream<Wish> wishes(
      Layout layout, Layout.PlacedRun run, Set<Long> slices, MergeLimits limits) {
    List<List<Placed>> stretches = new ArrayList<>();
    boolean open = false;
    for (Cluster cluster : Cluster.of(run.slices())) {
      boolean named = cluster.slices().stream().anyMatch(s -> slices.contains(s.facts().slice()));
      boolean renewed = named && !Placed.claimed(cluster.slices());
      if (renewed && !open) {
        stretches.add(new ArrayList<>());
      }
      if (renewed) {
        stretches.get(stretches.size() - 1).addAll(cluster.slices());
      }
      open = renewed;
    }
    return stretches.stream().map(stretch -> merge(layout, run, stretch, limits));
  }

  private static Wish merge(
      Layout layout, Layout.PlacedRun run, List<Placed> slices, MergeLimits limits) {
    Reason reason =
        Reason.of(
            "renewal",
            "rewriting {slices} slices of L{level} for what can be let go of in them",
            "slices",
            slices.size(),
            "level",
            run.level());
    return Wish.merge(layout, slices, Target.join(run.level(), run.id()), reason, limits);
  }
}
