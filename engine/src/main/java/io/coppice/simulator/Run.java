// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Segments by ascending rank that do not overlap, and what they sum up to. */
final class Run<C> {

  final long id;
  final int level;
  private final List<Segment<C>> segments = new ArrayList<>();
  private RunFacts facts;
  private long covered;

  /** Segments by how many slices they have. */
  private int[] ofDepth = new int[2];

  Run(long id, int level, Set<Long> sources) {
    this.id = id;
    this.level = level;
    facts = new RunFacts(id, List.of(), sources);
  }

  List<Segment<C>> segments() {
    return segments;
  }

  /** Adds segments that follow each other in rank and lie where the run has nothing. */
  void add(List<Segment<C>> added) {
    // Pieces of one plan mostly lie side by side: one insertion for each stretch of them.
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

  /** Takes segments out, given by ascending rank. */
  void remove(List<Segment<C>> gone) {
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

  /** Takes slices out of a segment that keeps others. */
  void shrink(Segment<C> segment, Set<Slice<C>> gone) {
    int at = placeOf(segment.low());
    replace(at, at + 1, List.of(segment.without(gone)));
  }

  private void replace(int from, int to, List<Segment<C>> instead) {
    List<Segment<C>> old = segments.subList(from, to);
    old.forEach(segment -> count(segment, -1));
    old.clear();
    segments.addAll(from, instead);
    List<SegmentFacts> added = new ArrayList<>(instead.size());
    for (Segment<C> segment : instead) {
      segment.home = this;
      count(segment, 1);
      added.add(segment.facts());
    }
    facts = facts.with(from, to, added);
  }

  private void count(Segment<C> segment, int times) {
    int depth = segment.slices().size();
    if (depth >= ofDepth.length) {
      ofDepth = Arrays.copyOf(ofDepth, 2 * depth);
    }
    ofDepth[depth] += times;
    covered += times * segment.covered();
  }

  /** The segment over a rank, or null. */
  Segment<C> at(int rank) {
    int place = placeOf(rank);
    if (place < segments.size() && segments.get(place).low() == rank) {
      return segments.get(place);
    }
    return place > 0 && segments.get(place - 1).high() >= rank ? segments.get(place - 1) : null;
  }

  /** The index of the first segment that starts at the rank or after it. */
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

  /** Ids of the runs that feed this one. */
  Set<Long> sources() {
    return facts.sources();
  }

  /** Drops the sources that are not among the living; false if all are. */
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

  /** Ranks that its slices cover, those under several slices counted for each. */
  long covered() {
    return covered;
  }

  /** Slices of the segment that has the most; 0 for an empty run. */
  int depth() {
    int depth = ofDepth.length - 1;
    while (depth > 0 && ofDepth[depth] == 0) {
      depth--;
    }
    return depth;
  }
}
