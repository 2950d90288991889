// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.whatif;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Conversion from ranks to positions in the order of keys. It assumes that the entries of the run
 * with the most entries spread evenly over all keys. A rank inside a table of that run becomes the
 * position of that table's entries among all entries of the run. Immutable.
 */
public final class KeyScale {

  private final List<double[]> pieces;
  private final double all;

  private KeyScale(List<double[]> pieces, double all) {
    this.pieces = pieces;
    this.all = all;
  }

  /**
   * Returns the scale of a table in Cassandra's sense, or of a family, from all its slices in any
   * order.
   */
  public static KeyScale of(List<LiveSlice> slices) {
    Map<Long, List<LiveSlice>> runs = new HashMap<>();
    for (LiveSlice slice : slices) {
      runs.computeIfAbsent((long) slice.level() << 32 | slice.run(), run -> new ArrayList<>())
          .add(slice);
    }
    List<LiveSlice> largest =
        runs.values().stream()
            .max(Comparator.comparingLong(run -> run.stream().mapToLong(LiveSlice::entries).sum()))
            .orElse(List.of());
    List<LiveSlice> sorted = new ArrayList<>(largest);
    sorted.sort(Comparator.comparingDouble(LiveSlice::low));
    List<double[]> pieces = new ArrayList<>();
    double passed = 0;
    double end = 0;
    for (LiveSlice slice : sorted) {
      // Slices of a virtual segment overlap; each counts from the end of the one before.
      double from = Math.max(end, slice.low());
      if (slice.high() > from) {
        pieces.add(new double[] {from, slice.high(), passed, passed + slice.entries()});
        end = slice.high();
      }
      passed += slice.high() > from ? slice.entries() : 0;
    }
    return new KeyScale(pieces, passed);
  }

  /** Returns the share of the rank range, 0 to 1, that the run with the most entries covers. */
  double covered() {
    double covered = 0;
    for (double[] piece : pieces) {
      covered += piece[1] - piece[0];
    }
    return covered;
  }

  /** Returns the position of a rank in the order of keys; both are shares, from 0 to 1. */
  public double at(double rank) {
    double before = 0;
    for (double[] piece : pieces) {
      if (rank < piece[0]) {
        return before / all;
      }
      if (rank <= piece[1]) {
        double share = (rank - piece[0]) / (piece[1] - piece[0]);
        return (piece[2] + share * (piece[3] - piece[2])) / all;
      }
      before = piece[3];
    }
    return all == 0 ? rank : before / all;
  }
}
