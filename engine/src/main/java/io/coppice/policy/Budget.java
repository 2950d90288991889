// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * What the host allows a policy to plan now. A value, read once before the policy is asked.
 *
 * @param freeSlots merges that may start beside those under way, at least 0
 * @param transientBytes by how much one more plan may fill the disk at any instant of its work:
 *     outputs written less inputs released, see {@link Forecast}; {@link Long#MAX_VALUE} means no
 *     limit
 */
public record Budget(int freeSlots, long transientBytes) {

  /** Checks the bounds. */
  public Budget {
    if (freeSlots < 0 || transientBytes < 0) {
      throw new IllegalArgumentException(
          "freeSlots ("
              + freeSlots
              + ") and transientBytes ("
              + transientBytes
              + ") must not be negative");
    }
  }

  /** One free slot and no limit on space. */
  public static Budget unlimited() {
    return new Budget(1, Long.MAX_VALUE);
  }
}
