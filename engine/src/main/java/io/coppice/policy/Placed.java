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
  static final Comparator<Placed> BY_LOW =
      Comparator.<Placed>comparingInt(slice -> slice.facts.low())
          .thenComparingInt(slice -> slice.run)
          .thenComparingLong(slice -> slice.facts.slice());

  /** The order in which plans name slices: newest run first, then by low rank. */
  static final Comparator<Placed> BY_RUN =
      Comparator.<Placed>comparingInt(slice -> slice.run)
          .thenComparingInt(slice -> slice.facts.low())
          .thenComparingLong(slice -> slice.facts.slice());

  /** Oldest first: by run, then the older table, then the smaller id. */
  static final Comparator<Placed> OLDEST_FIRST =
      Comparator.<Placed>comparingInt(slice -> -slice.run)
          .thenComparingLong(slice -> slice.facts.table())
          .thenComparingLong(slice -> slice.facts.slice());

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
}
