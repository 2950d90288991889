// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * What the host allows a policy to plan now. A value, read once before the policy is asked.
 *
 * @param freeSlots merges that may start beside those under way, at least 0
 * @param transientBytes by how much one more plan may fill the disk at any instant of its work:
 *     outputs written less inputs released, see {@link Forecast}; {@link Long#MAX_VALUE} means no
 *     limit
 * @param rewriteBytes input bytes that one more merge may have while a store takes on the form of
 *     another policy, see {@link Allowance}; {@link Long#MAX_VALUE} means no limit. Majors, and
 *     what is to be rewritten by name, do not count
 */
public record Budget(int freeSlots, long transientBytes, long rewriteBytes) {

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
    return new Budget(freeSlots, transientBytes);
  }
}
