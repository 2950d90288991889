// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

import java.util.Arrays;
import java.util.List;

/**
 * Ranks with older data than the inputs of a merge, outside of them. A merge must keep deletions at
 * these ranks, because they hide that data.
 *
 * @param bounds first and last rank of each range, both inclusive, ascending and without overlap
 */
public record OlderRanks(int[] bounds) {

  /** Older data at every rank. */
  public static final OlderRanks ALL = new OlderRanks(new int[] {0, Integer.MAX_VALUE});

  /**
   * Returns the union of ranges, each a first and a last rank, both inclusive. The method sorts the
   * list in place.
   */
  public static OlderRanks of(List<int[]> ranges) {
    ranges.sort((a, b) -> Integer.compare(a[0], b[0]));
    int[] bounds = new int[2 * ranges.size()];
    int n = 0;
    for (int[] range : ranges) {
      if (n > 0 && range[0] <= bounds[n - 1]) {
        bounds[n - 1] = Math.max(bounds[n - 1], range[1]);
      } else {
        bounds[n++] = range[0];
        bounds[n++] = range[1];
      }
    }
    return new OlderRanks(Arrays.copyOf(bounds, n));
  }

  /** Returns whether a rank may have older data. */
  public boolean covers(int rank) {
    int at = Arrays.binarySearch(bounds, rank);
    return at >= 0 || (-at - 1) % 2 == 1;
  }
}
