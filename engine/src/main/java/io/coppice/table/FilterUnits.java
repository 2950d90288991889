// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import java.util.BitSet;

/** Which units of the file of filters are taken. Not safe to share between threads. */
final class FilterUnits {

  private final BitSet used = new BitSet();

  /** No unit below is free. */
  private int firstFree;

  /** Takes the lowest units, so many side by side; returns the first. */
  int allocate(int count) {
    int unit = used.nextClearBit(firstFree);
    firstFree = unit;
    while (true) {
      int end = used.nextSetBit(unit);
      if (end < 0 || end - unit >= count) {
        used.set(unit, Math.addExact(unit, count));
        return unit;
      }
      unit = used.nextClearBit(end);
    }
  }

  /** Marks units as taken. */
  void claim(int unit, int count) {
    used.set(unit, Math.addExact(unit, count));
  }

  /** Gives units back. */
  void free(int unit, int count) {
    used.clear(unit, unit + count);
    firstFree = Math.min(firstFree, unit);
  }
}
