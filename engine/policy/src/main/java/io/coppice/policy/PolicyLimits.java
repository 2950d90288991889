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
 * @param entryBytes the host cuts an output also at one entry for so many bytes of the table size,
 *     so that its filter fits its place; 0 where size alone counts
 * @param ownSpace true if every policy has a bound of its own on the space that its merges take for
 *     a moment, {@code max_transient_space}; otherwise that option is not understood
 */
public record PolicyLimits(
    long defaultTableBytes,
    long minTableBytes,
    long maxTableBytes,
    int maxLevel,
    boolean stepwise,
    int entryBytes,
    boolean ownSpace) {

  /**
   * A store that cleans early lays its filters out for entries of so many bytes on average, and
   * cuts a table that would have more.
   */
  private static final int LEAST_ENTRY_BYTES = 100;

  /**
   * The engine's own: tables of 4 MiB, 4 KiB (one block) to 10 GiB. A forest of fanout 2 reaches
   * level 62 after 2^62 flushes, so the depth never binds.
   */
  public static final PolicyLimits ENGINE =
      new PolicyLimits(4L << 20, 4L << 10, 10L << 30, 62, true);

  /** A host whose space is bounded for all its merges together, if at all. */
  public PolicyLimits(
      long defaultTableBytes,
      long minTableBytes,
      long maxTableBytes,
      int maxLevel,
      boolean stepwise) {
    this(
        defaultTableBytes,
        minTableBytes,
        maxTableBytes,
        maxLevel,
        stepwise,
        stepwise ? LEAST_ENTRY_BYTES : 0,
        false);
  }

  /** Checks the bounds. */
  public PolicyLimits {
    if (minTableBytes < 1
        || defaultTableBytes < minTableBytes
        || maxTableBytes < defaultTableBytes
        || maxLevel < 1
        || entryBytes < 0) {
      throw new IllegalArgumentException(
          "table bytes must be ordered 1 <= least ("
              + minTableBytes
              + ") <= default ("
              + defaultTableBytes
              + ") <= greatest ("
              + maxTableBytes
              + "), maxLevel ("
              + maxLevel
              + ") must be at least 1, and entryBytes ("
              + entryBytes
              + ") must not be negative");
    }
  }
}
