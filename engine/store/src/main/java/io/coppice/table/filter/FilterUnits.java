// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.filter;

import com.google.common.collect.Range;
import com.google.common.collect.RangeSet;
import com.google.common.collect.TreeRangeSet;

/** Set of the used units of the filter file. Not safe to share between threads. */
public final class FilterUnits {

  /**
   * Units in use, as ranges instead of bits: a manifest may name any unit, so a high one must cost
   * no more memory than a low one.
   */
  private final RangeSet<Integer> taken = TreeRangeSet.create();

  /** Allocates the lowest free range of {@code count} adjacent units and returns its first unit. */
  public int allocate(int count) {
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

  /** Marks units as used. */
  public void claim(int unit, int count) {
    taken.add(Range.closedOpen(unit, unit + count));
  }

  /** Marks units as free. */
  public void free(int unit, int count) {
    taken.remove(Range.closedOpen(unit, unit + count));
  }
}
