// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.SegmentFacts;
import java.util.List;
import java.util.Set;

/** Slices over one range of a run, newest first. Only its place may change. */
final class Segment<C> {

  private final List<Slice<C>> slices;
  private final SegmentFacts facts;

  /** Run that contains it. */
  Run<C> home;

  Segment(List<Slice<C>> slices, long group, int parents) {
    this.slices = List.copyOf(slices);
    slices.forEach(slice -> slice.home = this);
    facts = new SegmentFacts(slices.stream().map(slice -> slice.facts).toList(), group, parents);
  }

  /** Creates a segment of one slice. */
  static <C> Segment<C> of(Slice<C> slice) {
    return new Segment<>(List.of(slice), 0, 0);
  }

  /** Returns the segment without some slices, which must leave at least one. */
  Segment<C> without(Set<Slice<C>> gone) {
    List<Slice<C>> left = slices.stream().filter(slice -> !gone.contains(slice)).toList();
    return new Segment<>(left, facts.group(), facts.parents());
  }

  List<Slice<C>> slices() {
    return slices;
  }

  SegmentFacts facts() {
    return facts;
  }

  int low() {
    return facts.low();
  }

  int high() {
    return facts.high();
  }

  /** Returns the ranks that its slices cover, each counted once per slice. */
  long covered() {
    long covered = 0;
    for (int i = 0; i < slices.size(); i++) {
      covered += 1L + slices.get(i).high() - slices.get(i).low();
    }
    return covered;
  }
}
