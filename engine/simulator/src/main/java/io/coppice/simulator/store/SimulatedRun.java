// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Run of segments by ascending rank, without overlap, with their totals. Used by one thread. */
public final class SimulatedRun<C> {

  final long id;
  final int level;
  private final List<SimulatedSegment<C>> segments = new ArrayList<>();
  private RunFacts facts;
  private long covered;

  /** Number of segments with n slices, at index n. */
  private int[] ofDepth = new int[2];

  SimulatedRun(long id, int level, Set<Long> sources) {
    this.id = id;
    this.level = level;
    facts = new RunFacts(id, List.of(), sources);
  }

  /** Returns the segments by ascending rank, as a live list that callers must not change. */
  public List<SimulatedSegment<C>> segments() {
    return segments;
  }

  /** Adds segments, given by ascending rank, at ranks that the run does not cover. */
  void add(List<SimulatedSegment<C>> added) {
    // Segments of one plan are mostly adjacent: each group of adjacent ones needs one insertion.
    int from = 0;
    while (from < added.size()) {
      int at = placeOf(added.get(from).low());
      int to = from + 1;
      while (to < added.size()
          && (at == segments.size() || added.get(to).low() < segments.get(at).low())) {
        to++;
      }
      replace(at, at, added.subList(from, to));
      from = to;
    }
  }

  /** Removes segments of this run, given by ascending rank. */
  void remove(List<SimulatedSegment<C>> gone) {
    int from = 0;
    while (from < gone.size()) {
      int at = placeOf(gone.get(from).low());
      int to = from + 1;
      while (to < gone.size()
          && at + to - from < segments.size()
          && segments.get(at + to - from) == gone.get(to)) {
        to++;
      }
      replace(at, at + to - from, List.of());
      from = to;
    }
  }

  /** Removes slices from a segment that keeps at least one other. */
  void shrink(SimulatedSegment<C> segment, Set<SimulatedSlice<C>> gone) {
    int at = placeOf(segment.low());
    replace(at, at + 1, List.of(segment.without(gone)));
  }

  private void replace(int from, int to, List<SimulatedSegment<C>> instead) {
    List<SimulatedSegment<C>> old = segments.subList(from, to);
    old.forEach(segment -> count(segment, -1));
    old.clear();
    segments.addAll(from, instead);
    List<SegmentFacts> added = new ArrayList<>(instead.size());
    for (SimulatedSegment<C> segment : instead) {
      segment.home = this;
      count(segment, 1);
      added.add(segment.facts());
    }
    facts = facts.with(from, to, added);
  }

  private void count(SimulatedSegment<C> segment, int times) {
    int depth = segment.slices().size();
    if (depth >= ofDepth.length) {
      ofDepth = Arrays.copyOf(ofDepth, 2 * depth);
    }
    ofDepth[depth] += times;
    covered += times * segment.covered();
  }

  /** Returns the segment whose range contains a rank, or null if none does. */
  SimulatedSegment<C> at(int rank) {
    int place = placeOf(rank);
    if (place < segments.size() && segments.get(place).low() == rank) {
      return segments.get(place);
    }
    return place > 0 && segments.get(place - 1).high() >= rank ? segments.get(place - 1) : null;
  }

  /**
   * Returns the segments that overlap two ranks or any between them, both inclusive, by ascending
   * rank.
   */
  List<SimulatedSegment<C>> over(int low, int high) {
    int from = placeOf(low);
    from -= from > 0 && segments.get(from - 1).high() >= low ? 1 : 0;
    int to = from;
    while (to < segments.size() && segments.get(to).low() <= high) {
      to++;
    }
    return segments.subList(from, to);
  }

  /**
   * Returns the index of the first segment that starts at the rank or after it; the number of
   * segments if none does.
   */
  private int placeOf(int rank) {
    int from = 0;
    int to = segments.size();
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (segments.get(middle).low() < rank) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  /** Returns the ids of the runs that still feed this one. */
  Set<Long> sources() {
    return facts.sources();
  }

  /** Removes the sources that no longer exist, and returns whether any was removed. */
  boolean keepSources(Set<Long> living) {
    if (living.containsAll(facts.sources())) {
      return false;
    }
    Set<Long> kept = new HashSet<>(facts.sources());
    kept.retainAll(living);
    facts = facts.fedBy(kept);
    return true;
  }

  RunFacts facts() {
    return facts;
  }

  /**
   * Returns the number of ranks that the slices cover; a rank counts once per slice that covers it.
   */
  public long covered() {
    return covered;
  }

  /** Returns the largest number of slices in a segment; 0 for an empty run. */
  public int depth() {
    int depth = ofDepth.length - 1;
    while (depth > 0 && ofDepth[depth] == 0) {
      depth--;
    }
    return depth;
  }
}
