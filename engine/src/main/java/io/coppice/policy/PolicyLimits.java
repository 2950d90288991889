// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * What a host adds to the meaning of a policy's text: its table size and how deep its levels go.
 *
 * @param defaultTableBytes {@code table_size} when the text does not name it
 * @param minTableBytes the least {@code table_size} the host accepts, inclusive
 * @param maxTableBytes the greatest {@code table_size} the host accepts, inclusive
 * @param maxLevel the deepest level the host can store, inclusive, at least 1
 * @param stepwise true if the host runs merges step by step, so that {@code cleaning_threshold}
 *     means something to it; otherwise that option is not understood
 */
public record PolicyLimits(
    long defaultTableBytes,
    long minTableBytes,
    long maxTableBytes,
    int maxLevel,
    boolean stepwise) {

  /**
   * The engine's own: tables of 4 MiB, 4 KiB (one block) to 10 GiB. A forest of fanout 2 reaches
   * level 62 after 2^62 flushes, so the depth never binds.
   */
  public static final PolicyLimits ENGINE =
      new PolicyLimits(4L << 20, 4L << 10, 10L << 30, 62, true);

  /** Checks the bounds. */
  public PolicyLimits {
    if (minTableBytes < 1
        || defaultTableBytes < minTableBytes
        || maxTableBytes < defaultTableBytes
        || maxLevel < 1) {
      throw new IllegalArgumentException(
          "table bytes must be ordered 1 <= least ("
              + minTableBytes
              + ") <= default ("
              + defaultTableBytes
              + ") <= greatest ("
              + maxTableBytes
              + "), and maxLevel ("
              + maxLevel
              + ") must be at least 1");
    }
  }
}
