// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.table.OpenTables;
import io.coppice.version.Slice;
import java.util.List;

/** Where the engine cuts the slices of a delay. */
public final class DelayCuts {

  private DelayCuts() {}

  /**
   * Up to {@code segments - 1} keys, ascending.
   *
   * @param slices in the order of age
   */
  public static List<byte[]> of(OpenTables tables, List<Slice> slices, int segments) {
    return VirtualCompaction.cuts(tables, VirtualCompaction.united(slices), segments);
  }
}
