// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.WritePressure;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Slot preemption: selects the merge that gives its slot to an urgent plan when all slots are busy.
 * SILK (Balmau and others 2019) gives merges of flushes the same precedence; the rules below are
 * Coppice's own.
 *
 * <p>A plan is urgent if writers are slowed down and it takes flushes out of level 0, or the policy
 * prefers it to such a plan. It preempts a merge with much more left to read than it reads itself.
 * Once writers are near stopping, a plan that takes flushes preempts any merge that takes none. The
 * candidate with most left to read ends at its next table and is planned again later. It has then
 * advanced by at least one table, so no merge starves.
 */
final class SlotPreemption {

  /** Write pressure that means that writers are near stopping. */
  static final double NEAR_STOP = 0.75;

  /**
   * A merge has much more left to read if it is at least this multiple of the plan's input bytes.
   */
  static final int MUCH_LESS_FACTOR = 4;

  private SlotPreemption() {}

  /** Returns whether a search for an urgent plan can succeed at this write pressure. */
  static boolean isWorthAsking(List<CompactionJob> running, double pressure) {
    return pressure >= WritePressure.FREE && running.stream().noneMatch(CompactionJob::ending);
  }

  /**
   * Returns the merge that gives up its slot, if any.
   *
   * @param ofFlushes whether the urgent plan takes flushes out of level 0
   * @param inputBytes input bytes of the urgent plan
   * @param pressure write pressure; writers stop from 1 on
   */
  static Optional<CompactionJob> to(
      boolean ofFlushes, long inputBytes, List<CompactionJob> running, double pressure) {
    if (pressure < WritePressure.FREE) {
      return Optional.empty();
    }
    return running.stream()
        .filter(
            merge ->
                inputBytes <= merge.bytesLeft() / MUCH_LESS_FACTOR
                    || (ofFlushes
                        && pressure >= NEAR_STOP
                        && !merge.subcompaction().takesLevelZero()))
        .max(Comparator.comparingLong(CompactionJob::bytesLeft));
  }
}
