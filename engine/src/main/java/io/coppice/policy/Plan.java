// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;

/** One decision of a policy: which slices, where to, and why. A value; a host carries it out. */
public sealed interface Plan {

  /** The slices used, by identity, in the order newest run first and ascending rank; no repeats. */
  List<Long> slices();

  /** Where they go. */
  Target target();

  /** Why, in numbers and in words. */
  Reason reason();

  /**
   * Hangs slices under another run. Metadata only: no data is read or written (SifrDB, section 3.2:
   * only overlapping SSTables are merged, the others move).
   */
  record Move(List<Long> slices, Target target, Reason reason) implements Plan {
    /** Copies the list. */
    public Move {
      slices = nonEmpty(slices);
    }
  }

  /** Rewrites slices into new tables of the policy's table size, which enter the target run. */
  record Merge(List<Long> slices, Target target, Reason reason) implements Plan {
    /** Copies the list. */
    public Merge {
      slices = nonEmpty(slices);
    }
  }

  private static List<Long> nonEmpty(List<Long> slices) {
    if (slices.isEmpty()) {
      throw new IllegalArgumentException("a plan needs at least one slice");
    }
    return List.copyOf(slices);
  }
}
