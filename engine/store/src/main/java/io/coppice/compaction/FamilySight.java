// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.Bytes;
import io.coppice.policy.Backlog;
import io.coppice.policy.Shape;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * A family at one instant as people look at it. Keys are shared and must not be written to.
 *
 * @param shape as its policy sees it
 * @param bounds the keys behind the ranks of the shape, ascending: that at index i has rank 2i
 * @param backlog what its policy wants
 * @param merges under way, each part of a large one for itself
 */
public record FamilySight(
    Shape shape, List<byte[]> bounds, Backlog backlog, List<RunningMerge> merges) {

  /**
   * A merge under way, or the part of one in a range of keys.
   *
   * @param id names it to {@link Compactor#stopMerge}
   * @param claim the same number for all parts of one merge
   * @param level of its outputs
   * @param slices its inputs
   * @param low where these begin
   * @param high where these end
   * @param watermark the last key that has passed; null before the first
   * @param inputBytes of the inputs
   * @param share of the entries that have passed, from 0 to 1
   * @param ageNanos since it was planned
   */
  public record RunningMerge(
      String id,
      long claim,
      int level,
      Set<Long> slices,
      byte[] low,
      byte[] high,
      byte[] watermark,
      long inputBytes,
      double share,
      long ageNanos,
      String code,
      String sentence) {}

  /** Where a rank lies, from 0 to 1. */
  public double place(int rank) {
    return bounds.size() < 2 ? 0 : Math.min(1, rank / (2.0 * bounds.size() - 2));
  }

  /** Where a key lies; one between two bounds lies in the middle of them. */
  public double place(byte[] key) {
    int index = Collections.binarySearch(bounds, key, Bytes.ORDER);
    return Math.max(0, place(index >= 0 ? 2 * index : Math.max(0, 2 * (-index - 1) - 1)));
  }

  /** The key that a rank stands for, or the one before it. */
  public byte[] key(int rank) {
    return bounds.get(rank / 2);
  }
}
