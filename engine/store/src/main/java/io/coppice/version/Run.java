// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import static com.google.common.collect.Sets.intersection;

import io.coppice.entry.LookupKey;
import io.coppice.entry.RangeDeletions;
import io.coppice.table.OpenTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Sorted run: segments with disjoint key ranges, in key order. A key is in at most one segment.
 * Leveled compaction keeps one run per level; split forest calls a run a tree. Immutable.
 *
 * <p>A run with sources is incomplete: the named runs still feed it until they are empty.
 */
public final class Run {

  private final long id;
  private final List<Segment> segments;
  private final Set<Long> sources;

  /**
   * Result of {@link #columns()}, made by the first call from any thread; all threads make equal
   * ones.
   */
  private List<List<Slice>> columns;

  /** Result of {@link #rangeDeletions}, made by the first call from any thread. */
  private List<RangeDeletions> rangeDeletions;

  /** Upper bound of each segment, inclusive. */
  private final SortedKeys highs;

  /**
   * Ids of all slices, in the order of segments and within them. The table numbers below have the
   * same order.
   */
  private final long[] sliceIds;

  private final long[] tableNumbers;

  /** Whether some table of the run has range deletions. */
  private final boolean mayDeleteRanges;

  /**
   * Creates a run from its segments.
   *
   * @param id unique within a version and never reused
   * @param segments by ascending key; empty only while the run is being filled
   * @param sources ids of the runs that still feed it
   * @throws IllegalArgumentException if two segments overlap or are out of order
   */
  public Run(long id, List<Segment> segments, Set<Long> sources) {
    this.id = id;
    this.segments = List.copyOf(segments);
    this.sources = Set.copyOf(sources);
    this.mayDeleteRanges = this.segments.stream().anyMatch(Segment::mayDeleteRanges);
    byte[][] upper = new byte[segments.size()][];
    this.sliceIds = numbers(this.segments, Slice::id);
    this.tableNumbers = numbers(this.segments, slice -> slice.table().number());
    for (int i = 0; i < upper.length; i++) {
      Segment segment = this.segments.get(i);
      upper[i] = segment.high();
      if (i > 0 && !this.segments.get(i - 1).isBelow(segment)) {
        throw new IllegalArgumentException(
            "run %s: %s and %s overlap or are out of order"
                .formatted(id, this.segments.get(i - 1).slices().get(0), segment.slices().get(0)));
      }
    }
    this.highs = new SortedKeys(upper);
  }

  /** Returns this run with only those of its sources that are among the given runs. */
  Run fedBy(Set<Long> living) {
    return living.containsAll(sources)
        ? this
        : new Run(id, segments, intersection(sources, living));
  }

  private static long[] numbers(List<Segment> segments, ToLongFunction<Slice> number) {
    int count = 0;
    for (Segment segment : segments) {
      count += segment.slices().size();
    }
    long[] numbers = new long[count];
    int at = 0;
    for (Segment segment : segments) {
      for (Slice slice : segment.slices()) {
        numbers[at++] = number.applyAsLong(slice);
      }
    }
    return numbers;
  }

  /**
   * Returns the ids of all slices in order of segments, newest first within one; the array is
   * shared.
   */
  public long[] sliceIds() {
    return sliceIds;
  }

  /**
   * Returns the table numbers of all slices in the order of {@link #sliceIds}; the array is shared.
   */
  public long[] tableNumbers() {
    return tableNumbers;
  }

  /**
   * Returns the slice at an index of {@link #sliceIds}.
   *
   * @throws IndexOutOfBoundsException if there is none
   */
  public Slice slice(int place) {
    if (sliceIds.length == segments.size()) {
      return segments.get(place).slices().get(0);
    }
    int left = place;
    for (Segment segment : segments) {
      int count = segment.slices().size();
      if (left < count) {
        return segment.slices().get(left);
      }
      left -= count;
    }
    throw new IndexOutOfBoundsException(place);
  }

  /** Returns the run's id, unique within a version and never reused. */
  public long id() {
    return id;
  }

  /** Returns the segments by ascending key. */
  public List<Segment> segments() {
    return segments;
  }

  /**
   * Returns the slices in columns, each by ascending key: the newest slice of each segment, then
   * the second newest, and so on. A run of real tables has one column.
   */
  public List<List<Slice>> columns() {
    List<List<Slice>> made = columns;
    if (made == null) {
      made = columns(segments.stream().map(Segment::slices).toList());
      columns = made;
    }
    return made;
  }

  /** Returns columns as {@link #columns()} does, for chosen slices of each segment. */
  static List<List<Slice>> columns(List<List<Slice>> segments) {
    List<List<Slice>> columns = new ArrayList<>();
    for (List<Slice> segment : segments) {
      for (int i = 0; i < segment.size(); i++) {
        if (i == columns.size()) {
          columns.add(new ArrayList<>());
        }
        columns.get(i).add(segment.get(i));
      }
    }
    return columns.stream().map(List::copyOf).toList();
  }

  /**
   * Returns the range deletions of each of the {@link #columns()}, in their order. The caller
   * leases a version that names the run.
   *
   * @throws io.coppice.base.CorruptionException if a table with range deletions is damaged
   */
  public List<RangeDeletions> rangeDeletions(OpenTables tables) {
    List<RangeDeletions> made = rangeDeletions;
    if (made == null) {
      made = columns().stream().map(column -> rangeDeletions(tables, column)).toList();
      rangeDeletions = made;
    }
    return made;
  }

  private static RangeDeletions rangeDeletions(OpenTables tables, List<Slice> column) {
    return RangeDeletions.union(
        column.stream()
            .filter(Slice::mayDeleteRanges)
            .map(slice -> slice.rangeDeletions(tables))
            .toList());
  }

  /** Returns whether some table of the run has range deletions; windows may hide them. */
  public boolean mayDeleteRanges() {
    return mayDeleteRanges;
  }

  /** Returns the ids of the runs that still feed this one. */
  public Set<Long> sources() {
    return sources;
  }

  /** Returns whether the run has no sources. */
  public boolean complete() {
    return sources.isEmpty();
  }

  /**
   * Returns the index of the first segment that could hold the key or a larger one; the number of
   * segments if there is none.
   */
  public int ceiling(byte[] key, int offset, int length) {
    return highs.ceiling(key, offset, length);
  }

  /**
   * Returns the only segment that can hold the key of a lookup, or null if the key is above all
   * segments.
   */
  public Segment find(LookupKey key) {
    return find(key.bytes(), key.offset(), key.length());
  }

  /**
   * Returns the only segment that may hold the key, or null if the key is above all segments. The
   * caller must check its slices one by one, newest first, for the key.
   */
  public Segment find(byte[] key, int offset, int length) {
    int index = ceiling(key, offset, length);
    return index == segments.size() ? null : segments.get(index);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Run that
        && id == that.id
        && segments.equals(that.segments)
        && sources.equals(that.sources);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(id);
  }

  @Override
  public String toString() {
    return "r" + id + segments + (sources.isEmpty() ? "" : " fed by " + sources);
  }
}
