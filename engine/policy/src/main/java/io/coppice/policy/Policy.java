// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.Optional;
import java.util.Set;

/**
 * Decides what to merge and what to move. Pure: the same Shape and Budget give the same Plan; no
 * key, file, clock, thread or random source is ever seen. Immutable, so safe to share.
 *
 * <p>Every policy accepts every legal Shape, also one that another policy left half merged, and
 * makes progress from it towards its own form; a change of policy is therefore only a new policy on
 * the present Shape.
 */
public interface Policy {

  /**
   * The next plan, or empty if nothing is to be done within the budget. Never uses a claimed slice;
   * ties go to the older table, then to the smaller id.
   */
  Optional<Plan> next(Shape shape, Budget budget);

  /**
   * What stands between the Shape and the policy's own form; zero exactly when no plan is wanted.
   */
  Backlog backlog(Shape shape);

  /**
   * From how many parents on a virtual segment that a read meets is to be merged: such a read,
   * after its answer, asks the host to put the segment's group among the {@link Shape#requests},
   * the first such group only (dCompaction, section 3.3: VSMT). {@link Integer#MAX_VALUE} means
   * never.
   */
  default int mergeOnRead() {
    return Integer.MAX_VALUE;
  }

  /**
   * The next step of a major compaction: towards one run that holds everything. Asked again after
   * each step until it answers empty. Runs that arrive meanwhile are not part of it; a host that
   * wants the whole store in one run keeps them out of the Shape.
   */
  Optional<Plan> everything(Shape shape, Budget budget);

  /**
   * The next step of rewriting slices inside their runs: neighbours become new tables of the run
   * that they lie in. It is for a host that knows more of its tables than a Shape tells, such as
   * that some of their entries have ended. Segments are rewritten whole; what is claimed is passed
   * over.
   *
   * @param slices what to rewrite, by identity; those of new tables must not be named again
   */
  Optional<Plan> rewrite(Shape shape, Set<Long> slices, Budget budget);
}
