// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.policy.SegmentFacts;
import java.util.List;
import java.util.Set;

/**
 * Segment of a run: slices over one key range, newest first. Only its run may change. Used by one
 * thread.
 */
public final class SimulatedSegment<C> {

  private final List<SimulatedSlice<C>> slices;
  private final SegmentFacts facts;

  /** Run that contains the segment. */
  SimulatedRun<C> home;

  SimulatedSegment(List<SimulatedSlice<C>> slices, long group, int parents) {
    this.slices = List.copyOf(slices);
    slices.forEach(slice -> slice.home = this);
    facts = new SegmentFacts(slices.stream().map(slice -> slice.facts).toList(), group, parents);
  }

  /** Creates a segment of one slice. */
  static <C> SimulatedSegment<C> of(SimulatedSlice<C> slice) {
    return new SimulatedSegment<>(List.of(slice), 0, 0);
  }

  /** Returns the segment without some slices, which must leave at least one. */
  SimulatedSegment<C> without(Set<SimulatedSlice<C>> gone) {
    List<SimulatedSlice<C>> left = slices.stream().filter(slice -> !gone.contains(slice)).toList();
    return new SimulatedSegment<>(left, facts.group(), facts.parents());
  }

  /** Returns the slices, newest first. */
  public List<SimulatedSlice<C>> slices() {
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

  /**
   * Returns the number of ranks that the slices cover; a rank counts once per slice that covers it.
   */
  long covered() {
    long covered = 0;
    for (int i = 0; i < slices.size(); i++) {
      covered += 1L + slices.get(i).high() - slices.get(i).low();
    }
    return covered;
  }
}
