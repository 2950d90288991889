// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import io.coppice.entry.LookupKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A key range of a run with the slices that hold it, newest first. One slice is a real table;
 * several are a virtual one (dCompaction, section 3.1). Only a delay, recorded as {@link
 * EditOp.Regroup}, creates virtual segments; those of one delay share a group and its number of
 * tables. Immutable.
 */
public final class Segment {

  /**
   * Maximum number of slices of a segment; with more, a lookup would search a list instead of a
   * tree.
   */
  public static final int MAX_SLICES = 1024;

  private final List<Slice> slices;
  private final long group;
  private final int parents;

  /**
   * Lower bound of all slices, copied because each edit compares it to check a run's order. {@code
   * lowExclusive} tells whether it is part of the range.
   */
  private final byte[] low;

  private final boolean lowExclusive;
  private final byte[] high;
  private final boolean mayDeleteRanges;

  /**
   * Creates a segment from its slices.
   *
   * @param slices newest first, never empty
   * @param group number of the group that a delay made, unique within a version; 0 for a real table
   * @param parents number of tables in the group when it was made; 0 for a real table
   * @throws IllegalArgumentException if there are no or too many slices, or more tables than the
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
    // At most as many slices as parents also means at most as many tables.
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

  /** Returns a segment of one slice that is a real table. */
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

  /** Returns whether a delay made the segment. Such a segment may have only one slice left. */
  public boolean virtual() {
    return group != 0;
  }

  /** Returns the slices, newest first. */
  public List<Slice> slices() {
    return slices;
  }

  /**
   * Returns the number of the group that a delay made, unique within a version; 0 for a real table.
   */
  public long group() {
    return group;
  }

  /** Returns the number of tables in the segment's group when it was made; 0 for a real table. */
  public int parents() {
    return parents;
  }

  /**
   * Returns whether the key of a lookup is between its bounds, as {@link #spans(byte[], int, int)}.
   */
  public boolean spans(LookupKey key) {
    return spans(key.bytes(), key.offset(), key.length());
  }

  /**
   * Returns whether the key is between the segment's bounds; its slices may still have a gap there.
   */
  public boolean spans(byte[] key, int offset, int length) {
    int order = Arrays.compareUnsigned(key, offset, offset + length, low, 0, low.length);
    return (lowExclusive ? order > 0 : order >= 0)
        && Arrays.compareUnsigned(key, offset, offset + length, high, 0, high.length) <= 0;
  }

  /** Returns the slice with the smallest lower bound. */
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

  /**
   * Returns the lower bound of all slices; {@link #lowExclusive} tells whether it is part of the
   * range.
   */
  byte[] low() {
    return low;
  }

  /** Returns whether {@link #low} itself is below the segment. */
  boolean lowExclusive() {
    return lowExclusive;
  }

  /** Returns the upper bound of all slices, inclusive. The array is shared. */
  public byte[] high() {
    return high;
  }

  /**
   * Returns whether some table of the segment has range deletions; the windows of its slices may
   * hide them.
   */
  boolean mayDeleteRanges() {
    return mayDeleteRanges;
  }

  /** Returns whether every key of this segment is below every key of the other. */
  boolean isBelow(Segment other) {
    int order = Arrays.compareUnsigned(high, other.low);
    return order < 0 || (order == 0 && other.lowExclusive);
  }

  /**
   * Returns the segment with one slice replaced or, for null, removed; null if no slice is left.
   */
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
