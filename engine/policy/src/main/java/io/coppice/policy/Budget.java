// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * What the host allows a policy to plan now. A value, read once before the policy is asked.
 *
 * @param freeSlots merges that may start beside those under way, at least 0
 * @param transientBytes by how much one more plan may fill the disk at any instant of its work:
 *     outputs written less inputs released, see {@link Forecast}; {@link Long#MAX_VALUE} means no
 *     limit
 * @param boundBytes {@code transientBytes} once no other merge runs, at least that. A policy
 *     divides a plan that exceeds it; a smaller plan that exceeds {@code transientBytes} waits for
 *     the running merges
 * @param rewriteBytes input bytes that one more merge may have while a store takes on the form of
 *     another policy, see {@link Allowance}; {@link Long#MAX_VALUE} means no limit. Majors, and
 *     what is to be rewritten by name, do not count
 */
public record Budget(int freeSlots, long transientBytes, long boundBytes, long rewriteBytes) {

  /** Checks the bounds. */
  public Budget {
    if (freeSlots < 0 || transientBytes < 0 || rewriteBytes < 0) {
      throw new IllegalArgumentException(
          "freeSlots ("
              + freeSlots
              + "), transientBytes ("
              + transientBytes
              + ") and rewriteBytes ("
              + rewriteBytes
              + ") must not be negative");
    }
    if (boundBytes < transientBytes) {
      throw new IllegalArgumentException(
          "boundBytes ("
              + boundBytes
              + ") must be at least transientBytes ("
              + transientBytes
              + ")");
    }
  }

  /** A budget of a store in which no merge runs. */
  public Budget(int freeSlots, long transientBytes, long rewriteBytes) {
    this(freeSlots, transientBytes, transientBytes, rewriteBytes);
  }

  /** A budget of a store that is not between two policies. */
  public Budget(int freeSlots, long transientBytes) {
    this(freeSlots, transientBytes, Long.MAX_VALUE);
  }

  /** One free slot and no limit on space. */
  public static Budget unlimited() {
    return new Budget(1, Long.MAX_VALUE);
  }

  /** The same, whatever is rewritten. */
  Budget rewritingAny() {
    return new Budget(freeSlots, transientBytes, boundBytes, Long.MAX_VALUE);
  }
}
