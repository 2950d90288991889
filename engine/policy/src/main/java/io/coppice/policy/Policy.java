// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.Optional;
import java.util.Set;

/**
 * Compaction policy: decides which slices to merge and which to move. Pure: the same shape and
 * budget give the same plan, and a policy sees no key, file, clock, thread or random source.
 * Immutable and therefore thread-safe.
 *
 * <p>Every policy accepts every legal shape, including one that another policy left half merged,
 * and makes progress from it towards its own arrangement. A policy switch is therefore only a new
 * policy on the present shape.
 */
public interface Policy {

  /**
   * Returns the next plan. The answer is empty if the policy wants none, or if every wanted plan
   * exceeds the budget. The plan uses no claimed slice; ties go to the older table, then to the
   * smaller id.
   */
  Optional<Plan> next(Shape shape, Budget budget);

  /**
   * Returns the work this policy still wants done on the shape, including the work of running
   * plans. It is {@link Backlog#NONE} exactly when the policy wants no plan.
   */
  Backlog backlog(Shape shape);

  /**
   * Returns the least number of parents with which a lookup asks the host to merge a virtual
   * segment. After the lookup has its answer, the host may add the segment's group to {@link
   * Shape#requests}. A lookup asks only for the first such group that it reaches (dCompaction,
   * section 3.3: VSMT). {@link Integer#MAX_VALUE}, the default, disables these requests.
   */
  default int mergeOnRead() {
    return Integer.MAX_VALUE;
  }

  /**
   * Returns the terms on which hosts grant the merges requested by reads, see {@link ReadBudget};
   * by default {@link ReadTerms#NONE}.
   */
  default ReadTerms readTerms() {
    return ReadTerms.NONE;
  }

  /**
   * Returns those requests of a shape whose merges may ever start: some merge of the group fits the
   * transient space of one plan while no other merge runs. The default returns all requests.
   *
   * @param transientBytes that space in bytes; {@link Long#MAX_VALUE} means no limit
   */
  default Set<Long> requestsThatFit(Shape shape, long transientBytes) {
    return shape.requests();
  }

  /**
   * Returns the next plan of a major compaction, which merges everything into one run; empty if
   * that is done or the budget allows no plan. The host asks again after each plan. Runs that
   * arrive during the compaction are not part of it: a host that wants one run at the end keeps
   * them out of the shape.
   */
  Optional<Plan> everything(Shape shape, Budget budget);

  /**
   * Returns the next plan that rewrites some of these slices in place: adjacent segments become new
   * tables of their own run. The plan takes whole segments and skips claimed ones. The answer is
   * empty if no unclaimed segment with such a slice is left, or while every plan exceeds the
   * budget. A host uses it for facts beyond the shape, for example expired entries.
   *
   * @param slices ids of the slices to rewrite; ids outside the shape have no effect. The caller
   *     leaves out the slices that earlier plans of this rewrite have written
   */
  Optional<Plan> rewrite(Shape shape, Set<Long> slices, Budget budget);
}
