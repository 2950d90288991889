// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

import java.util.ArrayList;
import java.util.List;

/**
 * Content of a table in the class model: a sequence of cells. Its smallest and largest keys are
 * inside the first and the last cell, because keys have gaps between them. Immutable.
 *
 * @param cells at least one cell, by ascending key, without overlap
 * @param low rank of the smallest key, inclusive
 * @param high rank of the largest key, inclusive, at least {@code low}
 * @param entries size of all cells, in entries with values
 */
public record Portion(List<PortionCell> cells, int low, int high, double entries) {

  /** Creates the content of the given cells, which it copies. */
  public static Portion of(List<PortionCell> cells, int low, int high) {
    double entries = 0;
    for (int i = 0; i < cells.size(); i++) {
      entries += cells.get(i).entries();
    }
    return new Portion(List.copyOf(cells), low, high, entries);
  }

  /** Returns the part of this content between two ranks, both inclusive; null if it is empty. */
  Portion window(int lowest, int highest) {
    if (lowest <= low && high <= highest) {
      return this;
    }
    List<PortionCell> inside = new ArrayList<>();
    for (int i = firstAfter(lowest); i < cells.size() && cells.get(i).from() <= highest; i++) {
      PortionCell cell = cells.get(i);
      double begin = Math.max(cell.from(), lowest);
      double end = Math.min(cell.to(), highest + 1.0);
      if (begin < end) {
        inside.add(cell.clipped(begin, end));
      }
    }
    return inside.isEmpty() || lowest > high || highest < low
        ? null
        : of(inside, Math.max(low, lowest), Math.min(high, highest));
  }

  /** Returns the index of the first cell that ends after a rank. */
  private int firstAfter(int rank) {
    int from = 0;
    int to = cells.size();
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (cells.get(middle).to() <= rank) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  /** Returns the cell that contains a rank, or null if none does. */
  public PortionCell at(int rank) {
    for (PortionCell cell : cells) {
      if (cell.from() <= rank && rank < cell.to()) {
        return cell;
      }
    }
    return null;
  }
}
