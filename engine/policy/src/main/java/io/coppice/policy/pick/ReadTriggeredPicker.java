// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.MergeRule;
import io.coppice.policy.Reason;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Target;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Read-triggered picker: groups of virtual segments become real tables (dCompaction, algorithm 2
 * and figure 8). The merge loads the parents of a segment anyway, and only a rewrite of the whole
 * group frees them. It therefore takes all segments of the same Delay that still exist; each range
 * of adjacent segments is one merge in place.
 *
 * <p>Under {@link MergeRule#FREE} a request names a slice, whose group is its overlap in its level.
 * Used by one thread.
 */
public final class ReadTriggeredPicker {

  private final PlanningView view;
  private final MergeLimits limits;

  public ReadTriggeredPicker(PlanningView view, MergeLimits limits) {
    this.view = view;
    this.limits = limits;
  }

  /**
   * Returns the merges of all requested groups, those of the group with the most tables first, then
   * by ascending id.
   */
  public Stream<CandidatePlan> candidates() {
    if (view.shape().requests().isEmpty()) {
      return Stream.of();
    }
    Map<Long, Integer> tables = view.adjacent() ? parents() : depths();
    Stream<Long> requests =
        view.shape().requests().stream()
            .filter(tables::containsKey)
            .sorted(Comparator.<Long>comparingInt(id -> -tables.get(id)).thenComparing(id -> id));
    return requests.flatMap(this::merges);
  }

  /**
   * Returns the requests that have a merge within the transient space.
   *
   * @param transientBytes that space in bytes; {@link Long#MAX_VALUE} means no limit
   */
  public Set<Long> fitting(long transientBytes) {
    return view.shape().requests().stream()
        .filter(id -> merges(id).anyMatch(merge -> merge.fits(transientBytes)))
        .collect(Collectors.toSet());
  }

  /** Returns the merges of a request. */
  private Stream<CandidatePlan> merges(long request) {
    return view.adjacent() ? ofGroup(request) : over(request).stream();
  }

  /** Returns the number of parents of each requested group. */
  private Map<Long, Integer> parents() {
    Map<Long, Integer> tables = new HashMap<>();
    for (PlanningView.PlacedRun run : view.runs()) {
      for (SegmentFacts segment : run.facts().segments()) {
        if (view.shape().requests().contains(segment.group())) {
          tables.putIfAbsent(segment.group(), segment.parents());
        }
      }
    }
    return tables;
  }

  /** Returns the number of tables that overlap each requested slice in its level. */
  private Map<Long, Integer> depths() {
    Map<Long, Integer> tables = new HashMap<>();
    for (PlanningView.PlacedRun run : view.runs()) {
      for (PlacedSlice slice : run.slices()) {
        if (view.shape().requests().contains(slice.facts().slice())) {
          tables.put(slice.facts().slice(), group(slice).size());
        }
      }
    }
    return tables;
  }

  private Optional<CandidatePlan> over(long id) {
    for (PlanningView.PlacedRun run : view.runs()) {
      for (PlacedSlice slice : run.slices()) {
        if (slice.facts().slice() == id) {
          return over(slice);
        }
      }
    }
    return Optional.empty();
  }

  private List<PlacedSlice> group(PlacedSlice slice) {
    List<PlacedSlice> group = new ArrayList<>();
    for (PlanningView.PlacedRun run : view.runs(slice.level())) {
      group.addAll(run.overlapping(slice.low(), slice.high()));
    }
    return group;
  }

  private Optional<CandidatePlan> over(PlacedSlice slice) {
    List<PlacedSlice> group = group(slice);
    if (group.size() < 2) {
      return Optional.empty();
    }
    Reason reason = reason(group.size(), slice.level());
    return Optional.of(
        CandidatePlan.merge(view, group, Target.newest(slice.level()), reason, limits));
  }

  private Stream<CandidatePlan> ofGroup(long group) {
    return view.runs().stream()
        .flatMap(
            run ->
                AdjacentSegments.of(run, segment -> segment.group() == group).stream()
                    .map(stretch -> merge(stretch)));
  }

  private CandidatePlan merge(AdjacentSegments stretch) {
    int parents = stretch.segments().get(0).parents();
    return stretch.merge(view, reason(parents, stretch.run().level()), limits);
  }

  private static Reason reason(int parents, int level) {
    return Reason.ofNumbers(
        Reason.READ_REQUEST,
        "a read reached a segment of L{level} with {parents} parents",
        level,
        parents);
  }
}
