// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;
import java.util.Objects;

/** Decision of a policy: slices, target and reason. An immutable value, which a host executes. */
public sealed interface Plan {

  /**
   * Returns the ids of the slices used, without repeats: newest run first, inside a run by
   * ascending rank, inside a segment newest first.
   */
  List<Long> slices();

  /** Returns the reason why the policy chose this plan. */
  Reason reason();

  /** Plan that puts its slices, or the outputs made from them, into a run. Immutable. */
  sealed interface Placing extends Plan {
    /** Returns the run that receives the slices or outputs. */
    Target target();

    /**
     * Returns this plan with the ids in another order and another target.
     *
     * @throws IllegalArgumentException if {@code reordered} is empty
     */
    Placing with(List<Long> reordered, Target other);
  }

  /**
   * Moves slices to another run by metadata alone: no data is read or written (SifrDB, section 3.2:
   * only overlapping SSTables are merged, the others move).
   */
  record Move(List<Long> slices, Target target, Reason reason) implements Placing {
    /**
     * Copies the list of slices.
     *
     * @throws IllegalArgumentException if {@code slices} is empty
     */
    public Move {
      slices = checked(slices, reason);
    }

    @Override
    public Placing with(List<Long> reordered, Target other) {
      return new Move(reordered, other, reason);
    }
  }

  /**
   * Regroups slices into virtual segments of the target run: dCompaction's virtual compaction
   * (section 3.1). It changes metadata alone: no data is read or written. The slices name whole
   * segments. The host cuts their union into segments of about equal bytes, at keys that it finds
   * in the table indexes. Each segment lists the slices that reach into it, newest first, clipped
   * to it.
   *
   * <p>Under {@link MergeRule#FREE} whole tables change their level, and overlapping tables there
   * form the group.
   *
   * <p>The host carries it out as follows:
   *
   * <ol>
   *   <li>It lists the slices in the order of the shape: newest run first, inside a segment newest
   *       first. Wherever two of them overlap, this is the age order.
   *   <li>Slices of one table with adjacent windows become one. It takes the position of the first,
   *       or else of the second, provided that the slice that moves passes no slice that it
   *       overlaps.
   *   <li>It cuts the list by key, and each segment keeps the order of the list.
   *   <li>The segments get one new group; their number of parents is the number of distinct tables
   *       on the list.
   * </ol>
   *
   * <p>A delay that names a key to cut at leaves the segments in their run and their groups. It
   * only divides those that contain the key in two.
   *
   * @param segments number of segments to cut, 1 to {@link #MAX_SEGMENTS}; fewer result if there
   *     are too few keys
   * @param after id of a slice whose last key is the key to cut after; 0 for none
   */
  record Delay(List<Long> slices, Target target, int segments, long after, Reason reason)
      implements Placing {

    /**
     * Most distinct tables of a delay, and therefore most tables that a lookup checks in one
     * segment.
     */
    public static final int MAX_TABLES = 64;

    /** Most segments of a delay. With {@link #MAX_TABLES} it bounds the size of one edit. */
    public static final int MAX_SEGMENTS = 1024;

    /**
     * Copies the list and checks the bounds.
     *
     * @throws IllegalArgumentException if {@code slices} is empty or {@code segments} out of range
     */
    public Delay {
      slices = checked(slices, reason);
      if (segments < 1 || segments > MAX_SEGMENTS) {
        throw new IllegalArgumentException(
            "segments (" + segments + ") must be in 1.." + MAX_SEGMENTS);
      }
    }

    /**
     * Creates a delay whose host finds the keys to cut at.
     *
     * @throws IllegalArgumentException if {@code slices} is empty or {@code segments} out of range
     */
    public Delay(List<Long> slices, Target target, int segments, Reason reason) {
      this(slices, target, segments, 0, reason);
    }

    /**
     * Returns whether the plan only cuts segments at the end of slice {@code after}, and leaves
     * them in their run.
     */
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
   * @param cleaningThreshold output tables after which the consumed inputs are released (SifrDB,
   *     section 3.4: early cleaning); 0 means only at the end
   */
  record Merge(List<Long> slices, Target target, int cleaningThreshold, Reason reason)
      implements Placing {
    /**
     * Copies the list and checks the threshold.
     *
     * @throws IllegalArgumentException if {@code slices} is empty or the threshold negative
     */
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
     * Returns the most extra disk space that the merge takes at any instant, in bytes: the value in
     * its reason, or {@code inputBytes} if its reason has no cost.
     *
     * @param inputBytes bytes on disk of the slices of this merge
     */
    public long transientBytes(long inputBytes) {
      PlanCost cost = reason.cost();
      return cost.equals(PlanCost.FREE_OF_COST) ? inputBytes : cost.transientBytes();
    }
  }

  /**
   * Drops slices that hold only tombstones with nothing older below them. Readers find nothing in
   * them.
   */
  record Drop(List<Long> slices, Reason reason) implements Plan {
    /**
     * Copies the list of slices.
     *
     * @throws IllegalArgumentException if {@code slices} is empty
     */
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
