// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A key range of a run and the slices that hold it, newest first. One slice is a real table;
 * several are a virtual one (dCompaction, section 3.1). Only a regrouping makes the latter; the
 * segments it makes share a group and the number of tables in it. Immutable.
 */
public final class Segment {

  /** More slices are refused; a lookup that had to ask so many would be a list, not a tree. */
  public static final int MAX_SLICES = 1024;

  private final List<Slice> slices;
  private final long group;
  private final int parents;

  /**
   * The lower bound of all slices, and whether it counts; a run's order is checked by each edit.
   */
  private final byte[] low;

  private final boolean lowExclusive;
  private final byte[] high;
  private final boolean mayDeleteRanges;

  /**
   * Makes a segment.
   *
   * @param slices newest first, never empty
   * @param group the regrouping that made it, unique within a Version; 0 for a real table
   * @param parents tables of the group when it was made; 0 for a real table
   * @throws IllegalArgumentException if there are too many slices, or not as many tables as the
   *     group has
   */
  public Segment(List<Slice> slices, long group, int parents) {
    this.slices = List.copyOf(slices);
    this.group = group;
    this.parents = parents;
    if (slices.isEmpty() || slices.size() > MAX_SLICES) {
      throw new IllegalArgumentException(
          "a segment has 1 to " + MAX_SLICES + " slices, not " + slices.size());
    }
    if (group < 0 || parents < 0 || (group == 0) != (parents == 0)) {
      throw new IllegalArgumentException(
          "group (" + group + ") and parents (" + parents + ") must both be 0 or both be positive");
    }
    // No more slices than parents are no more tables either.
    if (slices.size() > Math.max(1, parents) && tables(slices) > parents) {
      throw new IllegalArgumentException(
          "a segment of " + tables(slices) + " tables cannot be of a group of " + parents);
    }
    Slice lowest = lowest(this.slices);
    this.low = lowest.low();
    this.lowExclusive = lowest.lowExclusive();
    this.high = highest(this.slices);
    boolean deletes = false;
    for (Slice slice : slices) {
      deletes |= slice.mayDeleteRanges();
    }
    this.mayDeleteRanges = deletes;
  }

  /** A segment of one slice that no regrouping made. */
  public static Segment of(Slice slice) {
    return new Segment(List.of(slice), 0, 0);
  }

  private static long tables(List<Slice> slices) {
    Set<Long> numbers = new HashSet<>();
    for (Slice slice : slices) {
      numbers.add(slice.table().number());
    }
    return numbers.size();
  }

  /** True if a regrouping made it, though only one slice may be left. */
  public boolean virtual() {
    return group != 0;
  }

  /** The slices, newest first. */
  public List<Slice> slices() {
    return slices;
  }

  /** The regrouping that made it, unique within a Version; 0 for a real table. */
  public long group() {
    return group;
  }

  /** How many tables its group had when it was made; 0 for a real table. */
  public int parents() {
    return parents;
  }

  /** True if the key lies between its bounds; its slices may still leave a gap there. */
  public boolean spans(byte[] key, int offset, int length) {
    int order = Arrays.compareUnsigned(key, offset, offset + length, low, 0, low.length);
    return (lowExclusive ? order > 0 : order >= 0)
        && Arrays.compareUnsigned(key, offset, offset + length, high, 0, high.length) <= 0;
  }

  /** The slice whose range begins first. */
  private static Slice lowest(List<Slice> slices) {
    Slice lowest = slices.get(0);
    for (int i = 1; i < slices.size(); i++) {
      Slice slice = slices.get(i);
      int order = Arrays.compareUnsigned(slice.low(), lowest.low());
      if (order < 0 || (order == 0 && lowest.lowExclusive())) {
        lowest = slice;
      }
    }
    return lowest;
  }

  private static byte[] highest(List<Slice> slices) {
    byte[] high = slices.get(0).high();
    for (int i = 1; i < slices.size(); i++) {
      byte[] other = slices.get(i).high();
      if (Arrays.compareUnsigned(other, high) > 0) {
        high = other;
      }
    }
    return high;
  }

  /** The lower bound of all slices; whether it counts is told by {@link #lowExclusive}. */
  byte[] low() {
    return low;
  }

  /** True if {@link #low} itself is below the segment. */
  boolean lowExclusive() {
    return lowExclusive;
  }

  /** The upper bound of all slices, inclusive. */
  public byte[] high() {
    return high;
  }

  /** True if a table behind it has range deletions; windows may hide them. */
  boolean mayDeleteRanges() {
    return mayDeleteRanges;
  }

  /** True if every key of this segment is below every key of the other. */
  boolean isBelow(Segment other) {
    int order = Arrays.compareUnsigned(high, other.low);
    return order < 0 || (order == 0 && other.lowExclusive);
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

  @Override
  public boolean equals(Object other) {
    return other instanceof Segment that
        && group == that.group
        && parents == that.parents
        && slices.equals(that.slices);
  }

  @Override
  public int hashCode() {
    return Objects.hash(slices, group, parents);
  }

  @Override
  public String toString() {
    return slices + (virtual() ? " of group " + group + " of " + parents + " tables" : "");
  }
}
