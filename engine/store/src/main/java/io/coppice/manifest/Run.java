// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import static com.google.common.collect.Sets.intersection;

import io.coppice.entry.RangeDeletions;
import io.coppice.table.OpenTables;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Segments in key order that do not overlap: a level of leveled, a group of grouped, a tree of the
 * split forest. Immutable.
 *
 * <p>A run with sources is in the making: the runs named still feed it, and until they are empty it
 * is not complete.
 */
public final class Run {

  private final long id;
  private final List<Segment> segments;
  private final Set<Long> sources;

  /** Made when it is asked for first, by any thread; all make the same. */
  private List<List<Slice>> columns;

  /** Likewise. */
  private List<RangeDeletions> rangeDeletions;

  /** The upper bound of each segment. */
  private final SortedKeys highs;

  /** Of all slices, in the order of segments and within them: their ids and their tables. */
  private final long[] sliceIds;

  private final long[] tableNumbers;

  /** True if a table behind it has range deletions. */
  private final boolean mayDeleteRanges;

  /**
   * Makes a run.
   *
   * @param id unique within a Version and never given twice
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
            "run "
                + id
                + ": "
                + this.segments.get(i - 1).slices().get(0)
                + " and "
                + segment.slices().get(0)
                + " overlap or are out of order");
      }
    }
    this.highs = new SortedKeys(upper);
  }

  /** The same run, fed no more but by those of its sources that are among these. */
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

  /** The ids of all slices, in order of segments, newest first within one; shared. */
  long[] sliceIds() {
    return sliceIds;
  }

  /** The table numbers of all slices, in the order of {@link #sliceIds}; shared. */
  long[] tableNumbers() {
    return tableNumbers;
  }

  /** The slice at a place of {@link #sliceIds}. */
  Slice slice(int place) {
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

  /** The run's identity. */
  public long id() {
    return id;
  }

  /** The segments by ascending key. */
  public List<Segment> segments() {
    return segments;
  }

  /**
   * The slices by ascending key, those that are the newest of their segment first, then the second
   * newest, and so on; of a run of real tables one list.
   */
  public List<List<Slice>> columns() {
    List<List<Slice>> made = columns;
    if (made == null) {
      made = columns(segments.stream().map(Segment::slices).toList());
      columns = made;
    }
    return made;
  }

  /** As {@link #columns()}, from what is chosen of each segment. */
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
   * The range deletions of each of the {@link #columns()}, in their order. The caller leases a
   * version that names the run.
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

  /** True if a table behind it has range deletions; windows may hide them. */
  public boolean mayDeleteRanges() {
    return mayDeleteRanges;
  }

  /** Ids of the runs that still feed this one. */
  public Set<Long> sources() {
    return sources;
  }

  /** True when nothing feeds it any more. */
  public boolean complete() {
    return sources.isEmpty();
  }

  /**
   * The index of the first segment that could hold the key or a larger one; the number of segments
   * if there is none.
   */
  public int ceiling(byte[] key, int offset, int length) {
    return highs.ceiling(key, offset, length);
  }

  /**
   * The only segment that may hold the key, or null. Its slices still have to be asked one by one,
   * newest first, whether their range contains the key.
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
