// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.node;

import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * Number of SSTables that a read of one token could check, ignoring filters. It is exact, from a
 * sweep over the bounds of all SSTables.
 *
 * @param mean mean over the token ring
 * @param max largest number at any token
 * @param shares share of the token ring with each number of SSTables, from 0 to {@code max}
 */
public record Overlap(double mean, int max, List<Double> shares) {

  /** Range of tokens, both ends inclusive. */
  record Range(long first, long last) {}

  private static final double RING = Math.pow(2, 64);

  public Overlap {
    shares = List.copyOf(shares);
  }

  static Overlap of(List<Range> ranges) {
    // A range begins at its first token and ends just after its last one.
    TreeMap<Bound, Integer> changes =
        new TreeMap<>(Comparator.comparingLong(Bound::token).thenComparing(Bound::after));
    for (Range range : ranges) {
      changes.merge(new Bound(range.first(), false), 1, Integer::sum);
      changes.merge(new Bound(range.last(), true), -1, Integer::sum);
    }
    double[] tokens = new double[ranges.size() + 1];
    int depth = 0;
    int max = 0;
    long previous = Long.MIN_VALUE;
    for (var change : changes.entrySet()) {
      long token = change.getKey().token();
      tokens[depth] += (double) token - (double) previous;
      previous = token;
      depth += change.getValue();
      max = Math.max(max, depth);
    }
    tokens[0] += (double) Long.MAX_VALUE - (double) previous;
    return of(tokens, max);
  }

  private static Overlap of(double[] tokens, int max) {
    double mean = 0;
    Double[] shares = new Double[max + 1];
    for (int depth = 0; depth <= max; depth++) {
      shares[depth] = tokens[depth] / RING;
      mean += depth * shares[depth];
    }
    return new Overlap(mean, max, List.of(shares));
  }

  private record Bound(long token, boolean after) {}
}
