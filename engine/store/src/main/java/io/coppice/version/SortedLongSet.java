// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Small sorted set of longs that is searched for in long arrays. An edit names a few slices and a
 * run has thousands; boxing each of them would cost more than the edit. Used by one thread.
 */
public final class SortedLongSet {

  private long[] sorted = new long[8];
  private int size;

  /** Adds a number; one that is in the set already is ignored. */
  public void add(long number) {
    int place = Arrays.binarySearch(sorted, 0, size, number);
    if (place >= 0) {
      return;
    }
    if (size == sorted.length) {
      sorted = Arrays.copyOf(sorted, 2 * size);
    }
    System.arraycopy(sorted, -place - 1, sorted, -place, size + place + 1);
    sorted[-place - 1] = number;
    size++;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  public boolean contains(long number) {
    return Arrays.binarySearch(sorted, 0, size, number) >= 0;
  }

  /**
   * Calls the action with the index of each element of the array that is in the set, in the order
   * of the array.
   */
  public void forEachIn(long[] array, IntConsumer action) {
    if (size == 0) {
      return;
    }
    long min = sorted[0];
    long max = sorted[size - 1];
    for (int i = 0; i < array.length; i++) {
      if (array[i] >= min && array[i] <= max && contains(array[i])) {
        action.accept(i);
      }
    }
  }
}
