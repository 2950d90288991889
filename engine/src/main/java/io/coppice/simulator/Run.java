// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Segments by ascending rank that do not overlap. What is derived from them is kept till needed.
 */
final class Run<C> {

  final long id;
  final int level;
  final Set<Long> sources;
  private final List<Segment<C>> segments = new ArrayList<>();

  private RunFacts facts;
  private long covered;
  private int depth;

  Run(long id, int level, Collection<Long> sources) {
    this.id = id;
    this.level = level;
    this.sources = new HashSet<>(sources);
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
      segments.addAll(at, added.subList(from, to));
      from = to;
    }
    added.forEach(segment -> segment.home = this);
    changed();
  }

  void remove(Set<Segment<C>> gone) {
    segments.removeIf(gone::contains);
    changed();
  }

  /** Says that segments or sources have changed. */
  void changed() {
    facts = null;
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

  RunFacts facts() {
    derive();
    return facts;
  }

  /** Ranks that its slices cover, those under several slices counted for each. */
  long covered() {
    derive();
    return covered;
  }

  /** Slices of the segment that has the most; 0 for an empty run. */
  int depth() {
    derive();
    return depth;
  }

  private void derive() {
    if (facts != null) {
      return;
    }
    covered = 0;
    depth = 0;
    List<SegmentFacts> list = new ArrayList<>(segments.size());
    for (int i = 0; i < segments.size(); i++) {
      Segment<C> segment = segments.get(i);
      list.add(segment.facts());
      depth = Math.max(depth, segment.slices.size());
      for (int j = 0; j < segment.slices.size(); j++) {
        covered += 1L + segment.slices.get(j).high() - segment.slices.get(j).low();
      }
    }
    facts = new RunFacts(id, list, sources);
  }
}
