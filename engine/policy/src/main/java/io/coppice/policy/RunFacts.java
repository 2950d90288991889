// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A run: disjoint segments in key order. It is a level of leveled, a group of grouped, or a tree of
 * the split forest. Immutable; it computes its sums once, so a host that keeps it from one shape to
 * the next pays only for changes.
 */
public final class RunFacts {

  /** Flag of a segment that a running plan uses; the next constants are further flags. */
  private static final int CLAIMED = 1;

  private static final int DELETIONS_ONLY = 2;
  private static final int PARTS = 4;
  private static final int ENDED = 8;
  private static final int HIDES = 16;

  private final long id;
  private final Set<Long> sources;
  private final Row row;

  /** Segments with their sums in parallel arrays. The arrays are never written once shared. */
  private static final class Row extends AbstractList<SegmentFacts> implements RandomAccess {

    private final SegmentFacts[] segments;
    private final int[] lows;
    private final int[] highs;
    private final long[] sizes;
    private final byte[] traits;
    private long bytes;
    private int present;

    Row(int size) {
      segments = new SegmentFacts[size];
      lows = new int[size];
      highs = new int[size];
      sizes = new long[size];
      traits = new byte[size];
    }

    @Override
    public SegmentFacts get(int index) {
      return segments[index];
    }

    @Override
    public int size() {
      return segments.length;
    }

    void set(int at, List<SegmentFacts> added) {
      for (int i = 0; i < added.size(); i++) {
        SegmentFacts segment = added.get(i);
        segments[at + i] = segment;
        lows[at + i] = segment.low();
        highs[at + i] = segment.high();
        sizes[at + i] = segment.bytes();
        traits[at + i] = (byte) traits(segment);
      }
    }

    void copy(Row from, int start, int at, int count) {
      System.arraycopy(from.segments, start, segments, at, count);
      System.arraycopy(from.lows, start, lows, at, count);
      System.arraycopy(from.highs, start, highs, at, count);
      System.arraycopy(from.sizes, start, sizes, at, count);
      System.arraycopy(from.traits, start, traits, at, count);
    }

    void sum() {
      for (int i = 0; i < sizes.length; i++) {
        bytes += sizes[i];
        present |= traits[i];
      }
    }

    private static int traits(SegmentFacts segment) {
      int traits = segment.claimed() ? CLAIMED : 0;
      List<SliceFacts> slices = segment.slices();
      for (int i = 0; i < slices.size(); i++) {
        SliceFacts slice = slices.get(i);
        traits |= slice.hasTombstonesOnly() ? DELETIONS_ONLY : 0;
        traits |= slice.bytes() < slice.tableBytes() ? PARTS : 0;
        traits |= slice.mostlyEnded() ? ENDED : 0;
        traits |= slice.hidden() > 0 ? HIDES : 0;
      }
      return traits;
    }
  }

  private RunFacts(long id, Set<Long> sources, Row row) {
    this.id = id;
    this.sources = sources;
    this.row = row;
  }

  /**
   * Copies the collections and checks the order of the segments.
   *
   * @param id the run's identity, unique within a shape
   * @param segments segments by ascending rank; empty only while the run is being filled
   * @param sources ids of the runs that still feed this one. A nonempty set marks an
   *     <em>incomplete</em> run: plans that empty the sources join this run, and until they are
   *     empty no plan may merge it onward
   * @throws IllegalArgumentException if two segments overlap or are out of order
   */
  public RunFacts(long id, List<SegmentFacts> segments, Set<Long> sources) {
    this(id, Set.copyOf(sources), new Row(segments.size()));
    row.set(0, segments);
    row.sum();
    checkOrder(0, row.size());
  }

  /**
   * Returns this run with some segments replaced, for hosts that keep runs from one shape to the
   * next.
   *
   * @param from the index of the first replaced segment
   * @param to the index after the last replaced segment
   * @param instead the new segments, by ascending rank
   * @throws IllegalArgumentException if the new segments are out of order or overlap each other or
   *     a neighbor
   */
  public RunFacts with(int from, int to, List<SegmentFacts> instead) {
    int after = from + instead.size();
    Row next = new Row(row.size() - to + after);
    next.copy(row, 0, 0, from);
    next.set(from, instead);
    next.copy(row, to, after, row.size() - to);
    next.sum();
    RunFacts changed = new RunFacts(id, sources, next);
    changed.checkOrder(from, after + 1);
    return changed;
  }

  /** Returns this run with the ids of other sources. */
  public RunFacts fedBy(Set<Long> others) {
    return new RunFacts(id, Set.copyOf(others), row);
  }

  private void checkOrder(int from, int to) {
    for (int i = Math.max(1, from); i < Math.min(to, row.size()); i++) {
      if (row.highs[i - 1] >= row.lows[i]) {
        throw new IllegalArgumentException(
            "run %s: segment %s starts at rank %s, its neighbour ends at %s"
                .formatted(id, i, row.lows[i], row.highs[i - 1]));
      }
    }
  }

  /** Returns the run's identity, unique within a shape. */
  public long id() {
    return id;
  }

  /** Returns the segments by ascending rank; empty only while the run is being filled. */
  public List<SegmentFacts> segments() {
    return row;
  }

  /** Returns the ids of the runs that still feed this one. */
  public Set<Long> sources() {
    return sources;
  }

  /** Returns whether the run is complete: no source still feeds it. */
  public boolean complete() {
    return sources.isEmpty();
  }

  /** Returns the bytes on disk of all segments together. */
  public long bytes() {
    return row.bytes;
  }

  /** Returns the smallest rank, inclusive, of the segment with an index in {@link #segments}. */
  public int low(int segment) {
    return row.lows[segment];
  }

  /** Returns the largest rank, inclusive, of the segment with an index in {@link #segments}. */
  public int high(int segment) {
    return row.highs[segment];
  }

  /** Returns the bytes of the segment with an index in {@link #segments}. */
  public long bytes(int segment) {
    return row.sizes[segment];
  }

  /** Returns whether a running plan uses the segment with an index in {@link #segments}. */
  public boolean claimed(int segment) {
    return (row.traits[segment] & CLAIMED) != 0;
  }

  /** Returns whether a running plan uses some segment. */
  public boolean claimed() {
    return (row.present & CLAIMED) != 0;
  }

  /** Returns whether some slice of some segment holds only tombstones. */
  public boolean hasDeletionsOnly() {
    return (row.present & DELETIONS_ONLY) != 0;
  }

  /**
   * Returns whether some slice of the segment with an index in {@link #segments} shows only a part
   * of its table.
   */
  public boolean hasParts(int segment) {
    return (row.traits[segment] & PARTS) != 0;
  }

  /** Returns whether some slice of some segment shows only a part of its table. */
  public boolean hasParts() {
    return (row.present & PARTS) != 0;
  }

  /** Returns whether some slice is mostly expired, see {@link SliceFacts#mostlyEnded}. */
  public boolean hasEnded() {
    return (row.present & ENDED) != 0;
  }

  /** Returns whether deletions of some segment hide older entries. */
  public boolean hides() {
    return (row.present & HIDES) != 0;
  }

  /**
   * Returns whether deletions of the segment with an index in {@link #segments} hide older entries.
   */
  public boolean hides(int segment) {
    return (row.traits[segment] & HIDES) != 0;
  }

  /**
   * Returns the index of the first segment that ends at the rank or after it, or the number of
   * segments if none does.
   */
  int firstEndingAtOrAfter(int rank) {
    int from = 0;
    int to = row.highs.length;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (row.highs[middle] < rank) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  /**
   * Returns the segments that overlap the ranks {@code low} to {@code high}, both inclusive, by
   * ascending rank.
   */
  public List<SegmentFacts> overlapping(int low, int high) {
    int from = firstEndingAtOrAfter(low);
    int to = from;
    while (to < row.lows.length && row.lows[to] <= high) {
      to++;
    }
    return row.subList(from, to);
  }

  /**
   * Returns the bytes of another run that each segment overlaps, in the order of {@link #segments},
   * by one pass along both runs. An overlapped segment counts as at least one byte, because its
   * size may be an estimate of zero.
   */
  public long[] overlapBytes(RunFacts other) {
    Row under = other.row;
    long[] overlapped = new long[row.size()];
    int first = 0;
    for (int i = 0; i < overlapped.length; i++) {
      while (first < under.size() && under.highs[first] < row.lows[i]) {
        first++;
      }
      for (int at = first; at < under.size() && under.lows[at] <= row.highs[i]; at++) {
        overlapped[i] += Math.max(1, under.sizes[at]);
      }
    }
    return overlapped;
  }

  /** Returns this run with all slices unclaimed. */
  RunFacts unclaimed() {
    if (!claimed()) {
      return this;
    }
    List<SegmentFacts> free = new ArrayList<>(row.size());
    for (SegmentFacts segment : row) {
      free.add(segment.unclaimed());
    }
    return new RunFacts(id, free, sources);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RunFacts run
        && run.id == id
        && run.row.equals(row)
        && run.sources.equals(sources);
  }

  @Override
  public int hashCode() {
    return Objects.hash(id, row, sources);
  }

  @Override
  public String toString() {
    return "RunFacts[id=" + id + ", segments=" + row + ", sources=" + sources + "]";
  }
}
