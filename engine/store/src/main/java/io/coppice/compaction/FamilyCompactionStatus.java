// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.bytes.Bytes;
import io.coppice.policy.Backlog;
import io.coppice.policy.Shape;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * Compaction status of a family at one instant. Callers share the key arrays and must not write to
 * them.
 *
 * @param shape the family as its policy sees it
 * @param bounds the keys of the shape's ranks, ascending: the key at index i has rank 2i
 * @param backlog the merges that its policy still wants
 * @param merges running merges in the order of their start; each part of a large one counts
 *     separately
 */
public record FamilyCompactionStatus(
    Shape shape, List<byte[]> bounds, Backlog backlog, List<RunningMerge> merges) {

  /**
   * A running merge, or its part in one key range.
   *
   * @param id its name for {@link Compactor#stopMerge}
   * @param claim id of the run that receives the outputs, the same for all parts of one merge
   * @param level level of its outputs
   * @param slices ids of its inputs
   * @param low smallest key of the inputs
   * @param high largest key of the inputs
   * @param watermark key that it has recently reached; the outputs of its finished steps may end
   *     before it; null before the first
   * @param inputBytes bytes of the inputs
   * @param share fraction of the inputs' entries that it has read, from 0 to 1; an estimate
   * @param ageNanos nanoseconds since it was planned
   * @param code reason code of its plan
   * @param sentence reason of its plan for people
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

  /** Returns the position of a rank on a scale of keys from 0 to 1. */
  public double place(int rank) {
    return bounds.size() < 2 ? 0 : Math.min(1, rank / (2.0 * bounds.size() - 2));
  }

  /**
   * Returns the position of a key on a scale of keys from 0 to 1. A key between two bounds is in
   * their middle.
   */
  public double place(byte[] key) {
    int index = Collections.binarySearch(bounds, key, Bytes.ORDER);
    return Math.max(0, place(index >= 0 ? 2 * index : Math.max(0, 2 * (-index - 1) - 1)));
  }

  /**
   * Returns the key of a rank; the array is shared. An odd rank gives the key of the even rank
   * below it.
   */
  public byte[] key(int rank) {
    return bounds.get(rank / 2);
  }
}
