// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import com.google.common.collect.Range;
import com.google.common.collect.RangeSet;
import com.google.common.collect.TreeRangeSet;

/** Which units of the file of filters are taken. Not safe to share between threads. */
final class FilterUnits {

  /** A manifest may name any unit, so a high one takes no more memory than a low one. */
  private final RangeSet<Integer> taken = TreeRangeSet.create();

  /** Takes the lowest units, so many side by side; returns the first. */
  int allocate(int count) {
    int unit = 0;
    for (Range<Integer> stretch : taken.asRanges()) {
      if (stretch.lowerEndpoint() - unit >= count) {
        break;
      }
      unit = stretch.upperEndpoint();
    }
    claim(unit, count);
    return unit;
  }

  /** Marks units as taken. */
  void claim(int unit, int count) {
    taken.add(Range.closedOpen(unit, unit + count));
  }

  /** Gives units back. */
  void free(int unit, int count) {
    taken.remove(Range.closedOpen(unit, unit + count));
  }
}
