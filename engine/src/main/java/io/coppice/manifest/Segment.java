// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A key range of a run and the slices that hold it, newest first. One slice is a real table;
 * several are a virtual one (dCompaction, section 3.1). Only a regrouping makes the latter; the
 * segments it makes share a group and the number of tables in it.
 *
 * @param slices newest first, never empty
 * @param group the regrouping that made it, unique within a Version; 0 for a real table
 * @param parents tables of the group when it was made; 0 for a real table
 */
public record Segment(List<Slice> slices, long group, int parents) {

  /** More slices are refused; a lookup that had to ask so many would be a list, not a tree. */
  public static final int MAX_SLICES = 1024;

  /** Copies the list. */
  public Segment {
    slices = List.copyOf(slices);
    if (slices.isEmpty() || slices.size() > MAX_SLICES) {
      throw new IllegalArgumentException(
          "a segment has 1 to " + MAX_SLICES + " slices, not " + slices.size());
    }
    if (group < 0 || parents < 0 || (group == 0) != (parents == 0)) {
      throw new IllegalArgumentException(
          "group (" + group + ") and parents (" + parents + ") must both be 0 or both be positive");
    }
    if (slices.size() > 1 && tables(slices) > parents) {
      throw new IllegalArgumentException(
          "a segment of " + tables(slices) + " tables cannot be of a group of " + parents);
    }
  }

  /** A segment of one slice that no regrouping made. */
  public static Segment of(Slice slice) {
    return new Segment(List.of(slice), 0, 0);
  }

  private static long tables(List<Slice> slices) {
    return slices.stream().mapToLong(slice -> slice.table().number()).distinct().count();
  }

  /** True if a regrouping made it, though only one slice may be left. */
  public boolean virtual() {
    return group != 0;
  }

  /** True if the key lies between its bounds; its slices may still leave a gap there. */
  public boolean spans(byte[] key, int offset, int length) {
    Slice lowest = lowest();
    byte[] low = lowest.low();
    byte[] high = high();
    int order = Arrays.compareUnsigned(key, offset, offset + length, low, 0, low.length);
    return (lowest.lowExclusive() ? order > 0 : order >= 0)
        && Arrays.compareUnsigned(key, offset, offset + length, high, 0, high.length) <= 0;
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
    return changed.isEmpty() ? null : new Segment(changed, group, parents);
  }
}
