// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;

/**
 * A key range of a run and the slices that hold it, newest first. One slice is a real table;
 * several are a virtual one (dCompaction, section 3.1: the list of parent SSTables).
 *
 * <p>One {@link Plan.Delay} makes a group of segments side by side that share one list of parents.
 * A segment keeps the group and the length of that list, though its own slices may be fewer, as a
 * parent need not reach into each of the group's ranges.
 *
 * @param slices newest first, never empty
 * @param group the group's identity, unique within a Shape; 0 for a segment that no Delay made
 * @param parents tables on the group's list when it was made; 0 for a segment that no Delay made
 */
public record SegmentFacts(List<TableFacts> slices, long group, int parents) {

  /** Copies the list. */
  public SegmentFacts {
    slices = List.copyOf(slices);
    if (slices.isEmpty()) {
      throw new IllegalArgumentException("a segment needs at least one slice");
    }
    if ((group == 0) != (parents == 0) || group < 0 || parents < 0) {
      throw new IllegalArgumentException(
          "group (" + group + ") and parents (" + parents + ") must both be 0 or both be positive");
    }
  }

  /** A segment of one slice that no Delay made. */
  public static SegmentFacts of(TableFacts slice) {
    return new SegmentFacts(List.of(slice), 0, 0);
  }

  /** True if a Delay made it. */
  public boolean virtual() {
    return group != 0;
  }

  /** The smallest rank of its slices, inclusive. */
  public int low() {
    int low = slices.get(0).low();
    for (int i = 1; i < slices.size(); i++) {
      low = Math.min(low, slices.get(i).low());
    }
    return low;
  }

  /** The largest rank of its slices, inclusive. */
  public int high() {
    int high = slices.get(0).high();
    for (int i = 1; i < slices.size(); i++) {
      high = Math.max(high, slices.get(i).high());
    }
    return high;
  }

  /** Bytes of its slices. */
  public long bytes() {
    long bytes = 0;
    for (int i = 0; i < slices.size(); i++) {
      bytes += slices.get(i).bytes();
    }
    return bytes;
  }

  /** True if a plan under way uses one of its slices. */
  public boolean claimed() {
    for (int i = 0; i < slices.size(); i++) {
      if (slices.get(i).claimed()) {
        return true;
      }
    }
    return false;
  }

  /** This segment, not claimed. */
  SegmentFacts unclaimed() {
    return claimed()
        ? new SegmentFacts(slices.stream().map(TableFacts::unclaimed).toList(), group, parents)
        : this;
  }
}
