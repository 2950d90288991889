// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.SegmentFacts;
import java.util.List;
import java.util.Set;

/** Slices over one range of a run, newest first. Its place may change, nothing else does. */
final class Segment<C> {

  private final List<Slice<C>> slices;
  private final SegmentFacts facts;

  /** The run that holds it. */
  Run<C> home;

  Segment(List<Slice<C>> slices, long group, int parents) {
    this.slices = List.copyOf(slices);
    slices.forEach(slice -> slice.home = this);
    facts = new SegmentFacts(slices.stream().map(slice -> slice.facts).toList(), group, parents);
  }

  /** A segment of one slice. */
  static <C> Segment<C> of(Slice<C> slice) {
    return new Segment<>(List.of(slice), 0, 0);
  }

  /** What is left of it; not all slices may be gone. */
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

  /** Ranks that its slices cover, those under several slices counted for each. */
  long covered() {
    long covered = 0;
    for (int i = 0; i < slices.size(); i++) {
      covered += 1L + slices.get(i).high() - slices.get(i).low();
    }
    return covered;
  }
}
