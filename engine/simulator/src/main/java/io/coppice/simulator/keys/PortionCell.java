// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

/**
 * Part of the key range with the shares of each key class that a table holds there, constant over
 * the cell. Immutable; the cell owns the array.
 *
 * @param from first position, inclusive, in ranks
 * @param to end, exclusive, above {@code from}
 * @param shares shares of the keys as {@link Popularity#shares} lays them out, 0 to about 1; above
 *     1 if random shifts crowd a cell
 * @param entries size of the entries, in entries with values
 * @param variance variance of the number of entries among cells with these shares, if each key is
 *     present at random
 */
public record PortionCell(
    double from, double to, double[] shares, double entries, double variance) {

  /** Creates a cell with the given shares; it owns the array. */
  public static PortionCell of(double from, double to, double[] shares, Popularity popularity) {
    double part = (to - from) / PortionModel.RANKS;
    double entries = 0;
    double variance = 0;
    for (int c = 0; c < shares.length; c++) {
      double keys = popularity.keys(c) * shares[c] * part;
      entries += keys;
      variance += keys * Math.max(0, 1 - shares[c]);
    }
    return new PortionCell(from, to, shares, entries, variance);
  }

  /** Returns the size of the entries per rank, in entries with values. */
  double density() {
    return entries / (to - from);
  }

  /** Returns the part of this cell between two positions. */
  PortionCell clipped(double begin, double end) {
    if (begin <= from && to <= end) {
      return this;
    }
    double part = (end - begin) / (to - from);
    return new PortionCell(begin, end, shares, entries * part, variance * part);
  }
}
