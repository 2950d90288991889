// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What reads asked for: groups of virtual segments become real tables (dCompaction, algorithm 2 and
 * figure 8). The parents of a segment are loaded anyway, and only the whole group frees them, so
 * the neighbours of the segment that a read met go along: the segments of the same Delay that still
 * exist, each stretch that stands together as one merge in place.
 *
 * <p>Under {@link MergeRule#FREE} a request names a slice, and its group is what it overlaps in its
 * level.
 */
final class Requests {

  private final Layout layout;
  private final MergeLimits limits;

  Requests(Layout layout, MergeLimits limits) {
    this.layout = layout;
    this.limits = limits;
  }

  /** The merges, the smaller group first, newest run first and by ascending rank. */
  Stream<Wish> wishes() {
    Stream<Long> requests = layout.shape().requests().stream().sorted();
    return layout.adjacent()
        ? requests.flatMap(this::merges)
        : requests.flatMap(slice -> over(slice).stream());
  }

  private Optional<Wish> over(long id) {
    for (Layout.PlacedRun run : layout.runs()) {
      for (Placed slice : run.slices()) {
        if (slice.facts().slice() == id) {
          return over(slice);
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Wish> over(Placed slice) {
    List<Placed> group = new ArrayList<>();
    for (Layout.PlacedRun run : layout.runs(slice.level())) {
      group.addAll(run.over(slice.low(), slice.high()));
    }
    if (group.size() < 2) {
      return Optional.empty();
    }
    Reason reason = reason(group.size(), slice.level());
    return Optional.of(Wish.merge(layout, group, Target.newest(slice.level()), reason, limits));
  }

  private Stream<Wish> merges(long group) {
    return layout.runs().stream()
        .flatMap(
            run ->
                Stretch.of(run, segment -> segment.group() == group).stream()
                    .map(stretch -> merge(stretch)));
  }

  private Wish merge(Stretch stretch) {
    int parents = stretch.segments().get(0).parents();
    return stretch.merge(layout, reason(parents, stretch.run().level()), limits);
  }

  private static Reason reason(int parents, int level) {
    return Reason.of(
        Reason.READ_REQUEST,
        "a read met a segment of L{level} with {parents} parents",
        "level",
        level,
        "parents",
        parents);
  }
}
