// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.step;

import io.coppice.policy.spec.PolicySpec;

/**
 * A limit on the transient bytes of all merges of a table together, which bounds each step.
 * Thread-safe.
 */
public interface TransientSpaceLimit {

  /** The limit that allows any number of bytes. */
  TransientSpaceLimit NONE = widestBytes -> Long.MAX_VALUE;

  /**
   * Returns the limit that {@code max_transient_space} sets. If the option is a share of the live
   * bytes, the limit is at least two tables of the usual size, because below that no two runs could
   * be merged.
   *
   * @param liveBytes bytes on disk of all tables of the table in Cassandra's sense
   */
  static TransientSpaceLimit of(PolicySpec spec, long liveBytes) {
    long limit = spec.transientBytes(liveBytes);
    long whole = spec.transientBytes(0);
    return new TransientSpaceLimit() {

      @Override
      public long bytes(long widestBytes) {
        return whole == 0
            ? Math.max(limit, UsableFreeSpace.floor(widestBytes, spec.tableBytes()))
            : limit;
      }

      @Override
      public boolean isFixed() {
        return whole > 0 && whole < Long.MAX_VALUE;
      }
    };
  }

  /**
   * Returns the limit for a merge in bytes, {@link Long#MAX_VALUE} for no limit.
   *
   * @param widestBytes bytes on disk of the merge's largest SSTable
   */
  long bytes(long widestBytes);

  /** Returns whether the limit is a fixed number of bytes, independent of the table's data. */
  default boolean isFixed() {
    return false;
  }
}
