// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.MergeRule;
import io.coppice.policy.Reason;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.SliceFacts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Drops of slices that hold only tombstones and have nothing older below them. Lookups return the
 * same results without them. Under {@link MergeRule#FREE} age is independent of position, and only
 * the host can decide; this class then drops nothing. Coppice's own addition to the policies.
 */
public final class TombstoneDropPicker {

  private TombstoneDropPicker() {}

  /** Returns one drop of all slices that may be dropped, or an empty stream. */
  public static Stream<CandidatePlan> candidates(PlanningView view) {
    if (!view.adjacent()) {
      return Stream.of();
    }
    List<PlacedSlice> dead = new ArrayList<>();
    Set<Long> ids = new HashSet<>();
    for (PlacedSlice slice : tombstoneSlices(view)) {
      if (hidden(view, slice, ids).isEmpty() && !PlanConflicts.mayWriteBelow(view, slice)) {
        dead.add(slice);
        ids.add(slice.facts().slice());
      }
    }
    if (dead.isEmpty()) {
      return Stream.of();
    }
    Reason reason =
        Reason.ofNumbers(
            "dead-deletions", "nothing lies under the deletions of {slices} slices", dead.size());
    return Stream.of(CandidatePlan.drop(dead, reason));
  }

  /**
   * Returns an older slice that overlaps the given one, if there is one.
   *
   * @param gone ids of slices to ignore, because they are dropped too
   */
  public static Optional<PlacedSlice> hidden(PlanningView view, PlacedSlice slice, Set<Long> gone) {
    for (PlanningView.PlacedRun run : view.runs().subList(slice.run(), view.runs().size())) {
      for (PlacedSlice older : run.overlapping(slice.low(), slice.high())) {
        boolean isOlder = older.run() > slice.run() || older.depth() > slice.depth();
        if (isOlder
            && older.facts().overlaps(slice.facts())
            && !gone.contains(older.facts().slice())) {
          return Optional.of(older);
        }
      }
    }
    return Optional.empty();
  }

  /** Returns the unclaimed slices that hold only tombstones, oldest first. */
  private static List<PlacedSlice> tombstoneSlices(PlanningView view) {
    List<PlacedSlice> found = new ArrayList<>();
    for (PlanningView.PlacedRun run : view.runs()) {
      if (!run.facts().hasDeletionsOnly()) {
        continue;
      }
      for (SegmentFacts segment : run.facts().segments()) {
        for (SliceFacts slice : segment.slices()) {
          if (slice.tombstones() > 0 && slice.hasTombstonesOnly() && !slice.claimed()) {
            run.slices(segment).stream().filter(p -> p.facts() == slice).forEach(found::add);
          }
        }
      }
    }
    Collections.reverse(found);
    return found;
  }
}
