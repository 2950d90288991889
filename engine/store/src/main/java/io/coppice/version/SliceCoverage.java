// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Coverage of one table by several slices together. Two of them never show the same key, because it
 * would then be merged or counted twice.
 */
public final class SliceCoverage {

  private SliceCoverage() {}

  /**
   * Returns a slice that overlaps another one; of the two it has the larger upper bound. Null if
   * all are disjoint.
   */
  public static Slice overlap(List<Slice> slices) {
    List<Slice> sorted = sorted(slices);
    for (int i = 1; i < sorted.size(); i++) {
      if (!sorted.get(i - 1).isBelow(sorted.get(i))) {
        return sorted.get(i);
      }
    }
    return null;
  }

  /**
   * Returns whether both lists show the same keys of the table; neither list may overlap in itself.
   */
  static boolean same(List<Slice> some, List<Slice> others) {
    List<Slice> a = sorted(some);
    List<Slice> b = sorted(others);
    int i = 0;
    int j = 0;
    while (i < a.size() && j < b.size()) {
      if (!sameLow(a.get(i), b.get(j))) {
        return false;
      }
      i = endOfStretch(a, i);
      j = endOfStretch(b, j);
      if (!Arrays.equals(a.get(i - 1).high(), b.get(j - 1).high())) {
        return false;
      }
    }
    return i == a.size() && j == b.size();
  }

  private static boolean sameLow(Slice a, Slice b) {
    return a.lowExclusive() == b.lowExclusive() && Arrays.equals(a.low(), b.low());
  }

  /**
   * Returns the index after the last slice of a range without a gap.
   *
   * @param from index of the first slice of the range
   */
  private static int endOfStretch(List<Slice> sorted, int from) {
    int end = from + 1;
    while (end < sorted.size() && sorted.get(end - 1).touches(sorted.get(end))) {
      end++;
    }
    return end;
  }

  private static List<Slice> sorted(List<Slice> slices) {
    List<Slice> sorted = new ArrayList<>(slices);
    sorted.sort((a, b) -> Arrays.compareUnsigned(a.high(), b.high()));
    return sorted;
  }
}
