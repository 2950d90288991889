// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.step;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Function;

/** Division of items with key ranges into runs of items that do not overlap. */
public final class DisjointRuns {

  private DisjointRuns() {}

  /**
   * Divides items with key ranges into as few runs as possible, each by ascending key, in the order
   * of their first keys. Items that begin with the same key are placed in the given order.
   *
   * @param first the smallest key of an item, inclusive
   * @param last the largest key of an item, inclusive
   */
  public static <K extends Comparable<? super K>, T> List<List<T>> of(
      Collection<T> items, Function<T, K> first, Function<T, K> last) {
    List<T> sorted = new ArrayList<>(items);
    sorted.sort(Comparator.comparing(first));
    List<List<T>> runs = new ArrayList<>();
    // Thousands of SSTables may overlap, so no item is compared with every run. Runs that end
    // before the current key are queued by number, the others by their last key.
    PriorityQueue<Integer> ended = new PriorityQueue<>();
    PriorityQueue<Integer> open =
        new PriorityQueue<>(Comparator.comparing((Integer run) -> last.apply(last(runs.get(run)))));
    for (T item : sorted) {
      while (!open.isEmpty()
          && last.apply(last(runs.get(open.peek()))).compareTo(first.apply(item)) < 0) {
        ended.add(open.remove());
      }
      int home = ended.isEmpty() ? runs.size() : ended.remove();
      if (home == runs.size()) {
        runs.add(new ArrayList<>());
      }
      runs.get(home).add(item);
      open.add(home);
    }
    return runs;
  }

  private static <T> T last(List<T> list) {
    return list.get(list.size() - 1);
  }
}
