// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * Resources that a host grants to the next plan of a policy: an immutable value, measured once
 * before the host asks the policy.
 *
 * @param freeSlots merges that may start beside the running ones, at least 0
 * @param transientBytes extra disk space that one more plan may take at any instant of its work:
 *     outputs written minus inputs released, see {@link PlanCost}; {@link Long#MAX_VALUE} means no
 *     limit
 * @param boundBytes {@code transientBytes} when no other merge runs, at least that value. A policy
 *     divides a plan that exceeds it; a smaller plan that exceeds {@code transientBytes} waits for
 *     the running merges
 * @param rewriteBytes most input bytes of one more merge while a store changes to another policy's
 *     arrangement, see {@code RewriteAllowance}; {@link Long#MAX_VALUE} means no limit. Major
 *     compactions and rewrites of named slices are exempt
 */
public record Budget(int freeSlots, long transientBytes, long boundBytes, long rewriteBytes) {

  /**
   * Checks the bounds of all values.
   *
   * @throws IllegalArgumentException if a value is negative or {@code boundBytes} is below {@code
   *     transientBytes}
   */
  public Budget {
    if (freeSlots < 0 || transientBytes < 0 || rewriteBytes < 0) {
      throw new IllegalArgumentException(
          "freeSlots (%s), transientBytes (%s) and rewriteBytes (%s) must not be negative"
              .formatted(freeSlots, transientBytes, rewriteBytes));
    }
    if (boundBytes < transientBytes) {
      throw new IllegalArgumentException(
          "boundBytes (%s) must be at least transientBytes (%s)"
              .formatted(boundBytes, transientBytes));
    }
  }

  /**
   * Creates the budget of a store without running merges: {@code boundBytes} equals {@code
   * transientBytes}.
   *
   * @throws IllegalArgumentException if a value is negative
   */
  public Budget(int freeSlots, long transientBytes, long rewriteBytes) {
    this(freeSlots, transientBytes, transientBytes, rewriteBytes);
  }

  /**
   * Creates the budget of a store without running merges and with unlimited {@code rewriteBytes}.
   *
   * @throws IllegalArgumentException if a value is negative
   */
  public Budget(int freeSlots, long transientBytes) {
    this(freeSlots, transientBytes, Long.MAX_VALUE);
  }

  /** Returns a budget of one free slot without a limit on space. */
  public static Budget unlimited() {
    return new Budget(1, Long.MAX_VALUE);
  }

  /** Returns this budget with unlimited {@code rewriteBytes}. */
  public Budget rewritingAny() {
    return new Budget(freeSlots, transientBytes, boundBytes, Long.MAX_VALUE);
  }
}
