// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

/**
 * Limits that a host adds to a policy text: table sizes and the depth of levels.
 *
 * @param defaultTableBytes {@code table_size} when the text does not name it
 * @param minTableBytes the least {@code table_size} the host accepts, inclusive
 * @param maxTableBytes the greatest {@code table_size} the host accepts, inclusive
 * @param maxLevel the deepest level the host can store, inclusive, at least 1
 * @param stepwise whether the host runs merges step by step and supports {@code
 *     cleaning_threshold}; other hosts reject that option as unknown
 * @param entryBytes least bytes that policies count for each entry when they look for small tables;
 *     0 if only the bytes of a table count
 * @param ownSpace whether every policy has its own bound on the transient space of its merges,
 *     {@code max_transient_space}; other hosts reject that option as unknown
 */
public record PolicyLimits(
    long defaultTableBytes,
    long minTableBytes,
    long maxTableBytes,
    int maxLevel,
    boolean stepwise,
    int entryBytes,
    boolean ownSpace) {

  /** Least bytes that policies count for an entry in a store with early cleaning. */
  private static final int MIN_ENTRY_BYTES = 100;

  /**
   * Limits of the engine: tables of 4 MiB by default, from 4 KiB (one block) to 10 GiB. A forest of
   * fanout two reaches level 62 only after 2^62 flushes, so the depth is no practical limit.
   */
  public static final PolicyLimits ENGINE =
      new PolicyLimits(4L << 20, 4L << 10, 10L << 30, 62, true);

  /** Creates the limits of a host that bounds the space of all its merges together, if at all. */
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
        stepwise ? MIN_ENTRY_BYTES : 0,
        false);
  }

  /**
   * Checks the order of the bounds.
   *
   * @throws IllegalArgumentException naming all values if one is out of order
   */
  public PolicyLimits {
    if (minTableBytes < 1
        || defaultTableBytes < minTableBytes
        || maxTableBytes < defaultTableBytes
        || maxLevel < 1
        || entryBytes < 0) {
      throw new IllegalArgumentException(
          String.format(
              "table bytes must be ordered 1 <= least (%s) <= default (%s) <= greatest"
                  + " (%s), maxLevel (%s) must be at least 1, and entryBytes (%s) must not be"
                  + " negative",
              minTableBytes, defaultTableBytes, maxTableBytes, maxLevel, entryBytes));
    }
  }
}
