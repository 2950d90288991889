// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Sorted distinct keys, each with a value or a deletion: a range of an immutable array. Never
 * empty.
 */
public final class SortedKeySet {

  // An entry is twice its key, plus 1 for a deletion.

  private final int[] array;
  private final int from;
  private final int to;

  private SortedKeySet(int[] array, int from, int to) {
    this.array = array;
    this.from = from;
    this.to = to;
  }

  /**
   * Returns tables of the first {@code count} keys, which may have any order and duplicates, by
   * ascending key. The method overwrites the array.
   *
   * @param deleted tests whether a key is deleted
   */
  public static List<SortedKeySet> tables(
      int[] keys, int count, IntPredicate deleted, TableSize size) {
    Arrays.sort(keys, 0, count);
    int distinct = 0;
    int last = -1;
    for (int i = 0; i < count; i++) {
      if (keys[i] != last) {
        last = keys[i];
        keys[distinct++] = 2 * last + (deleted.test(last) ? 1 : 0);
      }
    }
    return cut(keys, distinct, size);
  }

  /**
   * Size of a full table.
   *
   * @param entries entries with values that fill a table, at least 1
   * @param deletionWeight size of a deletion divided by that of an entry with a value, at most 1
   */
  public record TableSize(int entries, double deletionWeight) {}

  private static List<SortedKeySet> cut(int[] entries, int count, TableSize size) {
    List<SortedKeySet> tables = new ArrayList<>();
    for (int at = 0; at < count; ) {
      int end = (int) Math.min(count, (long) at + size.entries);
      double room = (1 - size.deletionWeight) * deletions(entries, at, end);
      while (end < count && room >= 1) {
        room -= (entries[end++] & 1) == 0 ? 1 : size.deletionWeight;
      }
      tables.add(new SortedKeySet(Arrays.copyOfRange(entries, at, end), 0, end - at));
      at = end;
    }
    return tables;
  }

  private static int deletions(int[] entries, int from, int to) {
    int deletions = 0;
    for (int i = from; i < to; i++) {
      deletions += entries[i] & 1;
    }
    return deletions;
  }

  /**
   * Merges inputs, newest first, and cuts the result into tables by ascending key; empty if no
   * entry is left.
   *
   * @param inputs contents to merge; consecutive ones without overlap should be in ascending order,
   *     because that saves work
   * @param older ranks with older data, whose deletions stay; all other deletions are dropped
   */
  public static List<SortedKeySet> merge(
      List<SortedKeySet> inputs, OlderRanks older, TableSize size) {
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
    int[] entries = columns.get(0);
    int kept = 0;
    for (int i = 0; i < lengths[0]; i++) {
      if ((entries[i] & 1) == 0 || older.covers(entries[i] >>> 1)) {
        entries[kept++] = entries[i];
      }
    }
    return cut(entries, kept, size);
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

  /** Joins two columns; of one key, the entry of the first one stays. */
  private static int union(int[] a, int aLength, int[] b, int bLength, int[] out) {
    int i = 0;
    int j = 0;
    int n = 0;
    while (i < aLength && j < bLength) {
      int x = a[i] >>> 1;
      int y = b[j] >>> 1;
      out[n++] = x <= y ? a[i] : b[j];
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
    int end = high >= high() ? to : place(high + 1);
    return first < end ? new SortedKeySet(array, first, end) : null;
  }

  private int place(int key) {
    int at = Arrays.binarySearch(array, from, to, 2 * key);
    return at >= 0 ? at : -at - 1;
  }

  public boolean contains(int key) {
    int at = place(key);
    return at < to && array[at] >>> 1 == key;
  }

  public int low() {
    return array[from] >>> 1;
  }

  public int high() {
    return array[to - 1] >>> 1;
  }

  /** Returns the number of deletions. */
  public int deletions() {
    return deletions(array, from, to);
  }

  public int count() {
    return to - from;
  }

  public int get(int index) {
    return array[from + index] >>> 1;
  }
}
