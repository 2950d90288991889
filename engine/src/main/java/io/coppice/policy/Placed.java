// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.Comparator;

/**
 * A slice and where it stands.
 *
 * @param facts the slice
 * @param run the place of its run in the order of age, 0 newest; see {@link Layout}
 * @param level the level of that run
 */
record Placed(TableFacts facts, int run, int level) {

  /** The order of a sweep along the keys: by low rank, then newest first. */
  static final Comparator<Placed> BY_LOW = Placed::byLow;

  /** The order in which plans name slices: newest run first, then by low rank. */
  static final Comparator<Placed> BY_RUN = Placed::byRun;

  /** Oldest first: by run, then the older table, then the smaller id. */
  static final Comparator<Placed> OLDEST_FIRST = Placed::oldestFirst;

  int low() {
    return facts.low();
  }

  int high() {
    return facts.high();
  }

  long bytes() {
    return facts.bytes();
  }

  boolean claimed() {
    return facts.claimed();
  }

  private static int byLow(Placed a, Placed b) {
    int order = Integer.compare(a.facts.low(), b.facts.low());
    order = order == 0 ? Integer.compare(a.run, b.run) : order;
    return order == 0 ? Long.compare(a.facts.slice(), b.facts.slice()) : order;
  }

  private static int byRun(Placed a, Placed b) {
    int order = Integer.compare(a.run, b.run);
    order = order == 0 ? Integer.compare(a.facts.low(), b.facts.low()) : order;
    return order == 0 ? Long.compare(a.facts.slice(), b.facts.slice()) : order;
  }

  private static int oldestFirst(Placed a, Placed b) {
    int order = Integer.compare(b.run, a.run);
    order = order == 0 ? Long.compare(a.facts.table(), b.facts.table()) : order;
    return order == 0 ? Long.compare(a.facts.slice(), b.facts.slice()) : order;
  }
}
