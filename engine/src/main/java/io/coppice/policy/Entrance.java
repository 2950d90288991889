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
  private final Target target;
  private final List<List<Placed>> segments = new ArrayList<>();
  private final int[] highs;
  private final boolean awaited;

  Entrance(Layout layout, int level) {
    this.layout = layout;
    List<Layout.PlacedRun> runs = layout.runs(level);
    if (runs.isEmpty()) {
      target = Target.newest(level);
      highs = new int[0];
    } else {
      Layout.PlacedRun newest = runs.get(0);
      target = Target.join(level, newest.id());
      newest.facts().segments().forEach(segment -> segments.add(newest.place(segment)));
      highs = newest.facts().segments().stream().mapToInt(SegmentFacts::high).toArray();
    }
    // A job may be about to bring the level's first run; a second one would lie beside it.
    awaited =
        layout.adjacent()
            && runs.isEmpty()
            && layout.shape().jobs().stream().anyMatch(job -> job.level() == level);
  }

  /** The residents over the ranks, both inclusive, by ascending rank. */
  List<Placed> over(int low, int high) {
    List<Placed> over = new ArrayList<>();
    for (int i = firstEndingAtOrAfter(low); i < highs.length; i++) {
      List<Placed> segment = segments.get(i);
      if (segment.stream().mapToInt(Placed::low).min().orElseThrow() > high) {
        break;
      }
      over.addAll(segment);
    }
    return over;
  }

  Wish merge(List<Placed> slices, Reason reason) {
    Wish wish = Wish.merge(layout, slices, target, reason);
    return new Wish(wish.plan(), wish.bytes(), wish.held() || awaited);
  }

  Optional<Wish> move(List<Placed> slices, Reason reason) {
    return awaited ? Optional.empty() : Wish.move(layout, slices, target, reason);
  }

  private int firstEndingAtOrAfter(int low) {
    int from = 0;
    int to = highs.length;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (highs[middle] < low) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }
}
