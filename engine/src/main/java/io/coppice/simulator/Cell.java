// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/**
 * A part of the key range and, for each class of keys, the share of its keys there that a table
 * holds, the same everywhere in the cell. Immutable; the array is taken.
 *
 * @param from where it begins, inclusive
 * @param to where it ends, exclusive, above {@code from}
 * @param shares 0 to about 1; where chance has put a few keys more than belong there, a little
 *     above
 * @param entries all the keys
 * @param loose by how much the number of entries varies from one such cell to the next: its
 *     variance, if each key is there or not by chance
 */
record Cell(double from, double to, double[] shares, double entries, double loose) {

  /** A cell of the given shares. */
  static Cell of(double from, double to, double[] shares, Popularity popularity) {
    double part = (to - from) / PortionModel.RANKS;
    double entries = 0;
    double loose = 0;
    for (int c = 0; c < shares.length; c++) {
      double keys = popularity.keys(c) * shares[c] * part;
      entries += keys;
      loose += keys * Math.max(0, 1 - shares[c]);
    }
    return new Cell(from, to, shares, entries, loose);
  }

  /** Entries a rank. */
  double density() {
    return entries / (to - from);
  }

  /** The part between two places. */
  Cell clipped(double begin, double end) {
    if (begin <= from && to <= end) {
      return this;
    }
    double part = (end - begin) / (to - from);
    return new Cell(begin, end, shares, entries * part, loose * part);
  }
}
