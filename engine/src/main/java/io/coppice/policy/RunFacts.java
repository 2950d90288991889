// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Segments in key order that do not overlap: a level of leveled, a group of grouped, a tree of the
 * split forest. A value; it adds up its bytes once, so a host that keeps it from one Shape to the
 * next pays for what changed only.
 */
public final class RunFacts {

  private final long id;
  private final List<SegmentFacts> segments;
  private final Set<Long> sources;
  private final long bytes;
  private final int[] lows;
  private final int[] highs;

  /**
   * Copies the collections and checks the order of the segments.
   *
   * @param id the run's identity, unique within a Shape
   * @param segments by ascending rank; empty only while the run is being filled
   * @param sources ids of the runs that still feed this one. Not empty means <em>in the
   *     making</em>: plans that empty the sources join this run, and until they are empty the run
   *     is not complete and must not itself be merged onward
   */
  public RunFacts(long id, List<SegmentFacts> segments, Set<Long> sources) {
    this.id = id;
    this.segments = List.copyOf(segments);
    this.sources = Set.copyOf(sources);
    lows = new int[this.segments.size()];
    highs = new int[lows.length];
    long sum = 0;
    for (int i = 0; i < lows.length; i++) {
      SegmentFacts segment = this.segments.get(i);
      lows[i] = segment.low();
      highs[i] = segment.high();
      sum += segment.bytes();
      if (i > 0 && highs[i - 1] >= lows[i]) {
        throw new IllegalArgumentException(
            "run "
                + id
                + ": segment "
                + i
                + " starts at rank "
                + lows[i]
                + ", its neighbour ends at "
                + highs[i - 1]);
      }
    }
    bytes = sum;
  }

  /** The run's identity, unique within a Shape. */
  public long id() {
    return id;
  }

  /** By ascending rank; empty only while the run is being filled. */
  public List<SegmentFacts> segments() {
    return segments;
  }

  /** Ids of the runs that still feed this one. */
  public Set<Long> sources() {
    return sources;
  }

  /** True when nothing feeds it any more. */
  public boolean complete() {
    return sources.isEmpty();
  }

  /** Bytes of its segments. */
  public long bytes() {
    return bytes;
  }

  /** The smallest rank of a segment, inclusive. */
  int low(int segment) {
    return lows[segment];
  }

  /** The largest rank of a segment, inclusive. */
  int high(int segment) {
    return highs[segment];
  }

  /** The index of the first segment that ends at the rank or after it; the size if none does. */
  int firstEndingAtOrAfter(int rank) {
    int from = 0;
    int to = highs.length;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (highs[middle] < rank) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  /** The segments that reach into the ranks, both inclusive, by ascending rank. */
  List<SegmentFacts> over(int low, int high) {
    int from = firstEndingAtOrAfter(low);
    int to = from;
    while (to < lows.length && lows[to] <= high) {
      to++;
    }
    return segments.subList(from, to);
  }

  /** This run with no slice claimed. */
  RunFacts unclaimed() {
    return segments.stream().anyMatch(SegmentFacts::claimed)
        ? new RunFacts(id, segments.stream().map(SegmentFacts::unclaimed).toList(), sources)
        : this;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RunFacts run
        && run.id == id
        && run.segments.equals(segments)
        && run.sources.equals(sources);
  }

  @Override
  public int hashCode() {
    return Objects.hash(id, segments, sources);
  }

  @Override
  public String toString() {
    return "RunFacts[id=" + id + ", segments=" + segments + ", sources=" + sources + "]";
  }
}
