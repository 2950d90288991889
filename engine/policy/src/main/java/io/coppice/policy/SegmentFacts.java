// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A key range of a run with the slices that hold it, newest first. A real segment is one slice. A
 * virtual segment lists one or more slices (dCompaction, section 3.1: the list of parent SSTables).
 * Immutable; it computes its sums once, because planning reads them more often than the slices.
 *
 * <p>One {@link Plan.Delay} makes a group of adjacent segments that share one list of parents. A
 * segment keeps the group and the length of that list. Its own slices may be fewer, because a
 * parent need not reach into every range of the group.
 */
public final class SegmentFacts {

  private final List<SliceFacts> slices;
  private final long group;
  private final int parents;
  private final int low;
  private final int high;
  private final long bytes;
  private final boolean claimed;

  /**
   * Copies the list and computes the sums.
   *
   * @param slices newest first, never empty
   * @param group the group's identity, unique within a shape; 0 for a real segment
   * @param parents tables on the group's list when it was made; 0 for a real segment
   * @throws IllegalArgumentException if there is no slice, a number is negative, or only one of the
   *     numbers is 0
   */
  public SegmentFacts(List<SliceFacts> slices, long group, int parents) {
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
      SliceFacts slice = this.slices.get(i);
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

  /** Returns a segment of one slice that is a real table. */
  public static SegmentFacts of(SliceFacts slice) {
    return new SegmentFacts(List.of(slice), 0, 0);
  }

  /** Returns the slices, newest first; there is at least one. */
  public List<SliceFacts> slices() {
    return slices;
  }

  /** Returns the group's identity, unique within a shape; 0 for a segment that no Delay made. */
  public long group() {
    return group;
  }

  /**
   * Returns the number of tables on the group's list when a Delay made it; 0 for a segment that no
   * Delay made.
   */
  public int parents() {
    return parents;
  }

  /** Returns whether a Delay made the segment. */
  public boolean virtual() {
    return group != 0;
  }

  /** Returns the smallest rank of the slices, inclusive. */
  public int low() {
    return low;
  }

  /** Returns the largest rank of the slices, inclusive. */
  public int high() {
    return high;
  }

  /** Returns the bytes on disk of all slices together. */
  public long bytes() {
    return bytes;
  }

  /** Returns whether a running plan uses one of the slices. */
  public boolean claimed() {
    return claimed;
  }

  /** Returns this segment with all slices unclaimed. */
  SegmentFacts unclaimed() {
    return claimed ? claimed(false) : this;
  }

  /** Returns this segment with all its slices claimed, or with none. */
  public SegmentFacts claimed(boolean all) {
    List<SliceFacts> same = new ArrayList<>(slices.size());
    for (SliceFacts slice : slices) {
      same.add(slice.claimed(all));
    }
    return new SegmentFacts(same, group, parents);
  }

  /**
   * Returns this segment for a planner that ignores other slices of its tables: the size of each
   * table shrinks by the bytes that those slices show.
   *
   * @param shown bytes on disk that the ignored slices show, by id of the table
   */
  public SegmentFacts besides(Map<Long, Long> shown) {
    List<SliceFacts> same = new ArrayList<>(slices.size());
    boolean shared = false;
    for (SliceFacts slice : slices) {
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
