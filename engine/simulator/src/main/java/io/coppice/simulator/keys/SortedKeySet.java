// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Sorted distinct keys: a range of an immutable array. Never empty. */
public final class SortedKeySet {

  private final int[] array;
  private final int from;
  private final int to;

  private SortedKeySet(int[] array, int from, int to) {
    this.array = array;
    this.from = from;
    this.to = to;
  }

  /**
   * Returns tables of the first {@code count} keys, which may have any order and duplicates. The
   * array is overwritten.
   *
   * @param tableEntries keys of a table
   */
  public static List<SortedKeySet> tables(int[] keys, int count, int tableEntries) {
    Arrays.sort(keys, 0, count);
    int distinct = 0;
    for (int i = 0; i < count; i++) {
      if (i == 0 || keys[i] != keys[i - 1]) {
        keys[distinct++] = keys[i];
      }
    }
    return cut(keys, distinct, tableEntries);
  }

  private static List<SortedKeySet> cut(int[] keys, int count, int tableEntries) {
    List<SortedKeySet> tables = new ArrayList<>();
    for (int at = 0; at < count; at += tableEntries) {
      int end = (int) Math.min(count, (long) at + tableEntries);
      tables.add(new SortedKeySet(Arrays.copyOfRange(keys, at, end), 0, end - at));
    }
    return tables;
  }

  /**
   * Merges inputs and returns tables of the result.
   *
   * @param inputs contents to merge; consecutive ones without overlap should be in ascending order,
   *     because that saves work
   * @param tableEntries keys of a table
   */
  public static List<SortedKeySet> merge(List<SortedKeySet> inputs, int tableEntries) {
    List<int[]> columns = columns(inputs);
    int[] lengths = columns.stream().mapToInt(column -> column.length).toArray();
    int count = columns.size();
    // Merges two neighbors at a time, so that each key is read log2(columns) times.
    while (count > 1) {
      int pairs = 0;
      for (int i = 0; i < count; i += 2) {
        if (i + 1 == count) {
          columns.set(pairs, columns.get(i));
          lengths[pairs++] = lengths[i];
          continue;
        }
        int[] union = new int[lengths[i] + lengths[i + 1]];
        int length = union(columns.get(i), lengths[i], columns.get(i + 1), lengths[i + 1], union);
        columns.set(pairs, union);
        lengths[pairs++] = length;
      }
      count = pairs;
    }
    return cut(columns.get(0), lengths[0], tableEntries);
  }

  /** Returns the inputs as fewer arrays: consecutive inputs in ascending order become one. */
  private static List<int[]> columns(List<SortedKeySet> inputs) {
    List<int[]> columns = new ArrayList<>();
    int start = 0;
    for (int i = 1; i <= inputs.size(); i++) {
      if (i == inputs.size() || inputs.get(i).low() <= inputs.get(i - 1).high()) {
        columns.add(joined(inputs.subList(start, i)));
        start = i;
      }
    }
    return columns;
  }

  private static int[] joined(List<SortedKeySet> ascending) {
    int total = ascending.stream().mapToInt(SortedKeySet::count).sum();
    int[] column = new int[total];
    int at = 0;
    for (SortedKeySet keys : ascending) {
      System.arraycopy(keys.array, keys.from, column, at, keys.count());
      at += keys.count();
    }
    return column;
  }

  private static int union(int[] a, int aLength, int[] b, int bLength, int[] out) {
    int i = 0;
    int j = 0;
    int n = 0;
    while (i < aLength && j < bLength) {
      int x = a[i];
      int y = b[j];
      out[n++] = Math.min(x, y);
      i += x <= y ? 1 : 0;
      j += y <= x ? 1 : 0;
    }
    System.arraycopy(a, i, out, n, aLength - i);
    n += aLength - i;
    System.arraycopy(b, j, out, n, bLength - j);
    return n + bLength - j;
  }

  /** Returns the keys between two keys, both inclusive; null if there are none. */
  public SortedKeySet window(int low, int high) {
    int first = place(low);
    int end = high == Integer.MAX_VALUE ? to : place(high + 1);
    return first < end ? new SortedKeySet(array, first, end) : null;
  }

  private int place(int key) {
    int at = Arrays.binarySearch(array, from, to, key);
    return at >= 0 ? at : -at - 1;
  }

  public boolean contains(int key) {
    return Arrays.binarySearch(array, from, to, key) >= 0;
  }

  public int low() {
    return array[from];
  }

  public int high() {
    return array[to - 1];
  }

  public int count() {
    return to - from;
  }

  public int get(int index) {
    return array[from + index];
  }
}
