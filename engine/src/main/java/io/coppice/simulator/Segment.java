// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.SegmentFacts;
import java.util.ArrayList;
import java.util.List;

/** Slices over one range of a run, newest first. */
final class Segment<C> {

  final List<Slice<C>> slices;
  final long group;
  final int parents;

  /** The run that holds it. */
  Run<C> home;

  private SegmentFacts facts;

  Segment(List<Slice<C>> slices, long group, int parents) {
    this.slices = new ArrayList<>(slices);
    this.group = group;
    this.parents = parents;
    slices.forEach(slice -> slice.home = this);
  }

  static <C> Segment<C> of(Slice<C> slice) {
    return new Segment<>(List.of(slice), 0, 0);
  }

  /** Says that the list of slices has changed. */
  void changed() {
    facts = null;
  }

  SegmentFacts facts() {
    if (facts == null) {
      facts = new SegmentFacts(slices.stream().map(slice -> slice.facts).toList(), group, parents);
    }
    return facts;
  }

  int low() {
    int low = slices.get(0).low();
    for (int i = 1; i < slices.size(); i++) {
      low = Math.min(low, slices.get(i).low());
    }
    return low;
  }

  int high() {
    int high = slices.get(0).high();
    for (int i = 1; i < slices.size(); i++) {
      high = Math.max(high, slices.get(i).high());
    }
    return high;
  }
}
