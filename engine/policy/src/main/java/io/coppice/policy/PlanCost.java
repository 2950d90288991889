// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * Upper bounds of the cost of a plan, as far as the shape shows it.
 *
 * @param readBytes bytes on disk of the input slices
 * @param writeBytes bytes on disk of the outputs if no entry hides another
 * @param transientBytes largest growth of disk use at any instant, in bytes: outputs written minus
 *     inputs released. With early cleaning after {@code c} outputs of size S it is c·S plus one
 *     table of each input run. At most one table of each run straddles the merge position
 */
public record PlanCost(long readBytes, long writeBytes, long transientBytes) {
  /** Cost of a plan that changes only metadata. */
  public static final PlanCost FREE_OF_COST = new PlanCost(0, 0, 0);
}
