// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.whatif;

/**
 * Table of a live store, or a slice of one.
 *
 * @param level level number from 0
 * @param run index of its run in the level, 0 for the newest
 * @param low start of its range in key order, from 0 to 1, with keys equally dense everywhere
 * @param high end of its range, at least {@code low}
 * @param entries number of entries, deletions included
 * @param deletions number of deletions among them, at most {@code entries}
 * @param group group of its virtual segment, 0 for none
 * @param parents number of parents of that segment, 0 for none
 */
public record LiveSlice(
    int level,
    int run,
    double low,
    double high,
    long entries,
    long deletions,
    long group,
    int parents) {

  /** Returns this slice with another range. */
  LiveSlice at(double from, double to) {
    return new LiveSlice(level, run, from, to, entries, deletions, group, parents);
  }
}
