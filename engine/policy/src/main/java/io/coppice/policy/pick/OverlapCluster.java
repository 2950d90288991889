// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.pick;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Overlap cluster: slices linked by overlapping ranks of their segments, found by one sweep along
 * the keys. A cluster owns all ranks between its lowest and its highest. Clusters of one sweep are
 * therefore disjoint, and no segment is divided between two of them.
 *
 * @param slices the slices by ascending low rank of their segments, never empty
 * @param low the lowest rank, inclusive
 * @param high the highest rank, inclusive
 */
public record OverlapCluster(List<PlacedSlice> slices, int low, int high) {

  /** Returns the clusters of the given slices by ascending rank. */
  public static List<OverlapCluster> of(List<PlacedSlice> slices) {
    List<PlacedSlice> sorted = new ArrayList<>(slices);
    sorted.sort(PlacedSlice.BY_LOW);
    List<OverlapCluster> clusters = new ArrayList<>();
    int start = 0;
    int high = Integer.MIN_VALUE;
    for (int i = 0; i < sorted.size(); i++) {
      PlacedSlice slice = sorted.get(i);
      if (i > start && slice.segmentLow() > high) {
        clusters.add(
            new OverlapCluster(sorted.subList(start, i), sorted.get(start).segmentLow(), high));
        start = i;
        high = slice.segmentHigh();
      } else {
        high = i == start ? slice.segmentHigh() : Math.max(high, slice.segmentHigh());
      }
    }
    if (!sorted.isEmpty()) {
      List<PlacedSlice> rest = sorted.subList(start, sorted.size());
      clusters.add(new OverlapCluster(rest, sorted.get(start).segmentLow(), high));
    }
    return clusters;
  }

  public boolean single() {
    return slices.size() == 1;
  }

  /** Returns the overlap depth: the largest number of slices of the cluster that share one rank. */
  public int depth() {
    int[] lows = slices.stream().mapToInt(PlacedSlice::low).toArray();
    int[] highs = slices.stream().mapToInt(PlacedSlice::high).toArray();
    Arrays.sort(lows);
    Arrays.sort(highs);
    int depth = 0;
    int closed = 0;
    for (int i = 0; i < lows.length; i++) {
      while (highs[closed] < lows[i]) {
        closed++;
      }
      depth = Math.max(depth, i + 1 - closed);
    }
    return depth;
  }
}
