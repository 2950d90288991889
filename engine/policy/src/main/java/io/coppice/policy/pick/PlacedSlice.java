// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import io.coppice.policy.SegmentFacts;
import io.coppice.policy.SliceFacts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Slice with its position in a shape.
 *
 * @param facts the slice
 * @param run position of its run in the age order, 0 newest; see {@link PlanningView}
 * @param level the level of that run
 * @param segmentLow the smallest rank of its segment, inclusive
 * @param segmentHigh the largest rank of its segment, inclusive
 * @param depth position in the segment, 0 newest
 */
public record PlacedSlice(
    SliceFacts facts, int run, int level, int segmentLow, int segmentHigh, int depth) {

  /** Order of a sweep along the keys: by the segment's low rank, then newest first. */
  static final Comparator<PlacedSlice> BY_LOW = PlacedSlice::byLow;

  /**
   * Order of the slices in plans, that of the shape: newest run first, then segment by segment,
   * inside a segment newest first.
   */
  static final Comparator<PlacedSlice> BY_RUN = PlacedSlice::byRun;

  /** Order by age: the oldest run first, then the older table, then the smaller id. */
  public static final Comparator<PlacedSlice> OLDEST_FIRST = PlacedSlice::oldestFirst;

  /** Returns the slices of a segment, newest first. */
  static List<PlacedSlice> of(SegmentFacts segment, int run, int level) {
    List<PlacedSlice> slices = new ArrayList<>(segment.slices().size());
    add(segment, run, level, slices);
    return slices;
  }

  /** Adds the slices of a segment, newest first. */
  static void add(SegmentFacts segment, int run, int level, List<PlacedSlice> slices) {
    int low = segment.low();
    int high = segment.high();
    for (int depth = 0; depth < segment.slices().size(); depth++) {
      slices.add(new PlacedSlice(segment.slices().get(depth), run, level, low, high, depth));
    }
  }

  /** Returns the lowest rank of the slices, {@link Integer#MAX_VALUE} for an empty list. */
  public static int low(List<PlacedSlice> slices) {
    int low = Integer.MAX_VALUE;
    for (PlacedSlice slice : slices) {
      low = Math.min(low, slice.low());
    }
    return low;
  }

  /** Returns the highest rank of the slices, {@link Integer#MIN_VALUE} for an empty list. */
  public static int high(List<PlacedSlice> slices) {
    int high = Integer.MIN_VALUE;
    for (PlacedSlice slice : slices) {
      high = Math.max(high, slice.high());
    }
    return high;
  }

  public static long bytes(List<PlacedSlice> slices) {
    long bytes = 0;
    for (PlacedSlice slice : slices) {
      bytes += slice.bytes();
    }
    return bytes;
  }

  /** Returns whether a running plan uses one of the slices. */
  static boolean claimed(List<PlacedSlice> slices) {
    boolean claimed = false;
    for (PlacedSlice slice : slices) {
      claimed |= slice.claimed();
    }
    return claimed;
  }

  /** Returns the number of distinct tables of the slices. */
  public static int tables(List<PlacedSlice> slices) {
    if (slices.size() == 1) {
      return 1;
    }
    Set<Long> tables = new HashSet<>();
    for (PlacedSlice slice : slices) {
      tables.add(slice.facts.table());
    }
    return tables.size();
  }

  public int low() {
    return facts.low();
  }

  public int high() {
    return facts.high();
  }

  public long bytes() {
    return facts.bytes();
  }

  public boolean claimed() {
    return facts.claimed();
  }

  private static int byLow(PlacedSlice a, PlacedSlice b) {
    int order = Integer.compare(a.segmentLow, b.segmentLow);
    order = order == 0 ? Integer.compare(a.run, b.run) : order;
    return order == 0 ? Integer.compare(a.depth, b.depth) : order;
  }

  private static int byRun(PlacedSlice a, PlacedSlice b) {
    int order = Integer.compare(a.run, b.run);
    order = order == 0 ? Integer.compare(a.segmentLow, b.segmentLow) : order;
    return order == 0 ? Integer.compare(a.depth, b.depth) : order;
  }

  private static int oldestFirst(PlacedSlice a, PlacedSlice b) {
    int order = Integer.compare(b.run, a.run);
    order = order == 0 ? Long.compare(a.facts.table(), b.facts.table()) : order;
    return order == 0 ? Long.compare(a.facts.slice(), b.facts.slice()) : order;
  }
}
