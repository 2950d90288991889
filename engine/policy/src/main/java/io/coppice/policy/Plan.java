// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;
import java.util.Objects;

/** One decision of a policy: which slices, where to, and why. A value; a host carries it out. */
public sealed interface Plan {

  /** The slices used, by identity, in the order newest run first and ascending rank; no repeats. */
  List<Long> slices();

  /** Why, in numbers and in words. */
  Reason reason();

  /** A plan whose slices, or what becomes of them, enter a run. A value. */
  sealed interface Placing extends Plan {
    /** Where they go. */
    Target target();

    /** The same with slices named in another order, to another place. */
    Placing with(List<Long> reordered, Target other);
  }

  /**
   * Hangs slices under another run. Metadata only: no data is read or written (SifrDB, section 3.2:
   * only overlapping SSTables are merged, the others move).
   */
  record Move(List<Long> slices, Target target, Reason reason) implements Placing {
    /** Copies the list. */
    public Move {
      slices = checked(slices, reason);
    }

    @Override
    public Placing with(List<Long> reordered, Target other) {
      return new Move(reordered, other, reason);
    }
  }

  /**
   * Regroups slices into virtual segments of the target run. Metadata only: no data is read or
   * written (dCompaction, section 3.1: virtual compaction). The slices name whole segments. The
   * host cuts their union into segments of about equal bytes, at keys that it finds in the indexes
   * of the tables; each segment lists the slices that reach into it, newest first, clipped to it.
   *
   * <p>Under {@link MergeRule#FREE} whole tables change their level, and what lies over each other
   * there is the group.
   *
   * <p>The host goes about it like this:
   *
   * <ol>
   *   <li>It lines the slices up in the order of the Shape: newest run first, in a segment newest
   *       first. Wherever two of them overlap, this is the order of age.
   *   <li>Slices of one table whose windows touch become one: at the place of the first, or else of
   *       the second, if the one that moves passes no slice that it overlaps.
   *   <li>It cuts, and each segment keeps the order of that line.
   *   <li>The segments get one new group, and as their number of parents the distinct tables of the
   *       line.
   * </ol>
   *
   * <p>A delay that names a key to cut at leaves the segments in their run and in their groups, and
   * cuts those in two that reach across.
   *
   * @param segments how many segments to cut, 1 to {@link #MAX_SEGMENTS}; fewer if there are too
   *     few keys
   * @param after a slice behind whose last key to cut instead; 0 for none
   */
  record Delay(List<Long> slices, Target target, int segments, long after, Reason reason)
      implements Placing {

    /** No delay takes more distinct tables, so no lookup in one segment touches more. */
    public static final int MAX_TABLES = 64;

    /** No delay cuts more segments; with {@link #MAX_TABLES} it bounds what one edit lists. */
    public static final int MAX_SEGMENTS = 1024;

    /** Copies the list. */
    public Delay {
      slices = checked(slices, reason);
      if (segments < 1 || segments > MAX_SEGMENTS) {
        throw new IllegalArgumentException(
            "segments (" + segments + ") must be in 1.." + MAX_SEGMENTS);
      }
    }

    /** A delay whose host finds the keys to cut at. */
    public Delay(List<Long> slices, Target target, int segments, Reason reason) {
      this(slices, target, segments, 0, reason);
    }

    /** True if the segments stay and are cut where a slice ends. */
    public boolean stays() {
      return after != 0;
    }

    @Override
    public Placing with(List<Long> reordered, Target other) {
      return new Delay(reordered, other, segments, after, reason);
    }
  }

  /**
   * Rewrites slices into new tables of the policy's table size, which enter the target run.
   *
   * @param cleaningThreshold output tables after which the inputs consumed so far are released
   *     (SifrDB, section 3.4: early cleaning); 0 means only at the end
   */
  record Merge(List<Long> slices, Target target, int cleaningThreshold, Reason reason)
      implements Placing {
    /** Copies the list. */
    public Merge {
      slices = checked(slices, reason);
      if (cleaningThreshold < 0) {
        throw new IllegalArgumentException(
            "cleaningThreshold (" + cleaningThreshold + ") must not be negative");
      }
    }

    @Override
    public Placing with(List<Long> reordered, Target other) {
      return new Merge(reordered, other, cleaningThreshold, reason);
    }

    /**
     * By how much the merge may fill the disk: as its forecast says, or by all its inputs if it
     * forecasts nothing.
     */
    public long transientBytes(long inputBytes) {
      Forecast forecast = reason.forecast();
      return forecast.equals(Forecast.FREE_OF_COST) ? inputBytes : forecast.transientBytes();
    }
  }

  /** Lets go of slices that hold nothing a reader could find: deletions of nothing. */
  record Drop(List<Long> slices, Reason reason) implements Plan {
    /** Copies the list. */
    public Drop {
      slices = checked(slices, reason);
    }
  }

  private static List<Long> checked(List<Long> slices, Reason reason) {
    Objects.requireNonNull(reason, "reason");
    if (slices.isEmpty()) {
      throw new IllegalArgumentException("a plan needs at least one slice");
    }
    return List.copyOf(slices);
  }
}
