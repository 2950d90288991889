// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A key range of a run and the slices that hold it, newest first. One slice is a real table;
 * several are a virtual one (dCompaction, section 3.1: the list of parent SSTables). A value; it
 * sums its slices up once, as planning asks for that more than for the slices.
 *
 * <p>One {@link Plan.Delay} makes a group of segments side by side that share one list of parents.
 * A segment keeps the group and the length of that list, though its own slices may be fewer, as a
 * parent need not reach into each of the group's ranges.
 */
public final class SegmentFacts {

  private final List<TableFacts> slices;
  private final long group;
  private final int parents;
  private final int low;
  private final int high;
  private final long bytes;
  private final boolean claimed;

  /**
   * Copies the list.
   *
   * @param slices newest first, never empty
   * @param group the group's identity, unique within a Shape; 0 for a segment that no Delay made
   * @param parents tables on the group's list when it was made; 0 for a segment that no Delay made
   */
  public SegmentFacts(List<TableFacts> slices, long group, int parents) {
    this.slices = List.copyOf(slices);
    this.group = group;
    this.parents = parents;
    if (slices.isEmpty()) {
      throw new IllegalArgumentException("a segment needs at least one slice");
    }
    if ((group == 0) != (parents == 0) || group < 0 || parents < 0) {
      throw new IllegalArgumentException(
          "group (" + group + ") and parents (" + parents + ") must both be 0 or both be positive");
    }
    int least = Integer.MAX_VALUE;
    int most = Integer.MIN_VALUE;
    long sum = 0;
    boolean used = false;
    for (int i = 0; i < slices.size(); i++) {
      TableFacts slice = this.slices.get(i);
      least = Math.min(least, slice.low());
      most = Math.max(most, slice.high());
      sum += slice.bytes();
      used |= slice.claimed();
    }
    low = least;
    high = most;
    bytes = sum;
    claimed = used;
  }

  /** A segment of one slice that no Delay made. */
  public static SegmentFacts of(TableFacts slice) {
    return new SegmentFacts(List.of(slice), 0, 0);
  }

  /** Newest first, never empty. */
  public List<TableFacts> slices() {
    return slices;
  }

  /** The group's identity, unique within a Shape; 0 for a segment that no Delay made. */
  public long group() {
    return group;
  }

  /** Tables on the group's list when it was made; 0 for a segment that no Delay made. */
  public int parents() {
    return parents;
  }

  /** True if a Delay made it. */
  public boolean virtual() {
    return group != 0;
  }

  /** The smallest rank of its slices, inclusive. */
  public int low() {
    return low;
  }

  /** The largest rank of its slices, inclusive. */
  public int high() {
    return high;
  }

  /** Bytes of its slices. */
  public long bytes() {
    return bytes;
  }

  /** True if a plan under way uses one of its slices. */
  public boolean claimed() {
    return claimed;
  }

  /** This segment, not claimed. */
  SegmentFacts unclaimed() {
    return claimed ? claimed(false) : this;
  }

  /** This segment with all its slices claimed, or none. */
  SegmentFacts claimed(boolean all) {
    List<TableFacts> same = new ArrayList<>(slices.size());
    for (TableFacts slice : slices) {
      same.add(slice.claimed(all));
    }
    return new SegmentFacts(same, group, parents);
  }

  /**
   * This segment with tables that are smaller by what others show of them.
   *
   * @param shown bytes that others show, by table
   */
  SegmentFacts besides(Map<Long, Long> shown) {
    List<TableFacts> same = new ArrayList<>(slices.size());
    boolean shared = false;
    for (TableFacts slice : slices) {
      Long others = shown.get(slice.table());
      same.add(others == null ? slice : slice.besides(others));
      shared |= others != null;
    }
    return shared ? new SegmentFacts(same, group, parents) : this;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other == this
        || other instanceof SegmentFacts segment
            && segment.group == group
            && segment.parents == parents
            && segment.slices.equals(slices);
  }

  @Override
  public int hashCode() {
    return Objects.hash(slices, group, parents);
  }

  @Override
  public String toString() {
    return "SegmentFacts[slices=" + slices + ", group=" + group + ", parents=" + parents + "]";
  }
}
