// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A key range of a run and the slices that hold it, newest first. One slice is a real table;
 * several are a virtual one (dCompaction, section 3.1).
 *
 * @param slices newest first, never empty
 */
public record Segment(List<Slice> slices) {

  /** Copies the list. */
  public Segment {
    slices = List.copyOf(slices);
    if (slices.isEmpty()) {
      throw new IllegalArgumentException("a segment needs at least one slice");
    }
  }

  /** A segment of one slice. */
  public static Segment of(Slice slice) {
    return new Segment(List.of(slice));
  }

  /** The slice whose range begins first. */
  Slice lowest() {
    Slice lowest = slices.get(0);
    for (Slice slice : slices) {
      int order = Arrays.compareUnsigned(slice.low(), lowest.low());
      if (order < 0 || (order == 0 && lowest.lowExclusive())) {
        lowest = slice;
      }
    }
    return lowest;
  }

  /** The upper bound of all slices, inclusive. */
  public byte[] high() {
    byte[] high = slices.get(0).high();
    for (int i = 1; i < slices.size(); i++) {
      byte[] other = slices.get(i).high();
      if (Arrays.compareUnsigned(other, high) > 0) {
        high = other;
      }
    }
    return high;
  }

  /** True if every key of this segment is below every key of the other. */
  boolean isBelow(Segment other) {
    Slice first = other.lowest();
    int order = Arrays.compareUnsigned(high(), first.low());
    return order < 0 || (order == 0 && first.lowExclusive());
  }

  /** The segment with one slice exchanged, or null if it was the only one and goes. */
  Segment with(long sliceId, Slice replacement) {
    List<Slice> changed = new ArrayList<>(slices.size());
    for (Slice slice : slices) {
      if (slice.id() != sliceId) {
        changed.add(slice);
      } else if (replacement != null) {
        changed.add(replacement);
      }
    }
    return changed.isEmpty() ? null : new Segment(changed);
  }
}
