// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.node;

import java.util.List;
import java.util.TreeMap;

/**
 * How deep key ranges lie over each other: the number of SSTables that a read of one token could
 * touch, if there were no filters. Exact, by a sweep over all bounds.
 */
record Overlap(double mean, int max) {

  /** A closed range of tokens. */
  record Range(long first, long last) {}

  private static final double RING = Math.pow(2, 64);

  static Overlap of(List<Range> ranges) {
    // A range begins at its first token and ends just after its last one.
    TreeMap<Bound, Integer> changes = new TreeMap<>();
    for (Range range : ranges) {
      changes.merge(new Bound(range.first(), false), 1, Integer::sum);
      changes.merge(new Bound(range.last(), true), -1, Integer::sum);
    }
    double weighted = 0;
    int depth = 0;
    int max = 0;
    long previous = Long.MIN_VALUE;
    for (var change : changes.entrySet()) {
      long token = change.getKey().token();
      weighted += depth * ((double) token - (double) previous);
      previous = token;
      depth += change.getValue();
      max = Math.max(max, depth);
    }
    return new Overlap(weighted / RING, max);
  }

  private record Bound(long token, boolean after) implements Comparable<Bound> {
    @Override
    public int compareTo(Bound other) {
      int byToken = Long.compare(token, other.token);
      return byToken != 0 ? byToken : Boolean.compare(after, other.after);
    }
  }
}
