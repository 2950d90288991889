// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

/** A limit on the transient bytes of all merges of a table together, which bounds each step. */
public interface TransientSpaceLimit {

  /** The limit that allows any number of bytes. */
  TransientSpaceLimit NONE = widestBytes -> Long.MAX_VALUE;

  /**
   * Returns the limit for a merge in bytes, {@link Long#MAX_VALUE} for no limit.
   *
   * @param widestBytes the size of the merge's largest SSTable
   */
  long bytes(long widestBytes);

  /** Returns whether the limit is a fixed number of bytes, independent of the table's data. */
  default boolean isFixed() {
    return false;
  }
}
