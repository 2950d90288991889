// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import java.util.ArrayList;
import java.util.List;

/**
 * What a table holds in the class model: cells in a row. Its smallest and its largest key lie
 * inside the first and the last, as keys have gaps between them. Immutable.
 *
 * @param cells by ascending key, without overlap, never empty
 * @param low the rank of its smallest key
 * @param high the rank of its largest key, at least {@code low}
 * @param entries of all cells
 */
record Portion(List<Cell> cells, int low, int high, double entries) {

  /** A table of the given cells. */
  static Portion of(List<Cell> cells, int low, int high) {
    double entries = 0;
    for (int i = 0; i < cells.size(); i++) {
      entries += cells.get(i).entries();
    }
    return new Portion(List.copyOf(cells), low, high, entries);
  }

  /** The part between two ranks, both inclusive; null if that is nothing. */
  Portion window(int lowest, int highest) {
    if (lowest <= low && high <= highest) {
      return this;
    }
    List<Cell> inside = new ArrayList<>();
    for (Cell cell : cells) {
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

  /** The cell over a rank, or null. */
  Cell at(int rank) {
    for (Cell cell : cells) {
      if (cell.from() <= rank && rank < cell.to()) {
        return cell;
      }
    }
    return null;
  }
}
