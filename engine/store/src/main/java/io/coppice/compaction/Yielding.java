// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.WriteDebt;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which merge yields its slot when all are busy and another plan is urgent. Ours; SILK (Balmau and
 * others 2019) gives merges of flushes the same precedence.
 *
 * <p>A plan is urgent if writers are held back and it takes flushes out of level 0, or comes before
 * what does. Any merge yields to it that has much more left to read than it; and once writers are
 * near stopping, to a plan that takes flushes any that takes none out itself. Of these the one with
 * most left yields: it ends at its next table, and is planned again later. It has gone on by at
 * least one table then, so no merge is starved.
 */
final class Yielding {

  /** A debt from which writers are near stopping. */
  static final double NEAR_STOP = 0.75;

  /** Much less is so many times less. */
  static final int MUCH = 4;

  private Yielding() {}

  /** True if it may make sense to look for an urgent plan. */
  static boolean isWorthAsking(List<MergeJob> running, double debt) {
    return debt >= WriteDebt.FREE && running.stream().noneMatch(MergeJob::ending);
  }

  /**
   * The merge that yields.
   *
   * @param ofFlushes true if the urgent plan takes flushes out of level 0 itself
   * @param inputBytes what the plan that waits would read
   * @param debt how near writers are to stopping, which they do at 1
   */
  static Optional<MergeJob> to(
      boolean ofFlushes, long inputBytes, List<MergeJob> running, double debt) {
    if (debt < WriteDebt.FREE) {
      return Optional.empty();
    }
    return running.stream()
        .filter(
            merge ->
                inputBytes <= merge.bytesLeft() / MUCH
                    || (ofFlushes && debt >= NEAR_STOP && !merge.job().ofFlushes()))
        .max(Comparator.comparingLong(MergeJob::bytesLeft));
  }
}
