// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.manifest.Slice;
import io.coppice.manifest.SliceSize;
import io.coppice.table.OpenTables;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Sizes of slices, kept from one look at a version to the next: most slices are in both, and an
 * estimate searches the index of a table. One thread at a time.
 */
final class SliceSizes {

  private final OpenTables tables;

  /** Of the slices of the last version that was looked at, those that show a part of a table. */
  private Map<Slice, SliceSize> known = new IdentityHashMap<>();

  SliceSizes(OpenTables tables) {
    this.tables = tables;
  }

  /** The sizes of a leased version, all of whose slices are asked for before the next call. */
  Function<Slice, SliceSize> next() {
    Map<Slice, SliceSize> before = known;
    Map<Slice, SliceSize> present = new IdentityHashMap<>();
    known = present;
    return slice -> {
      if (!slice.lowExclusive() && !slice.highCuts()) {
        return SliceSize.ofTable(slice);
      }
      SliceSize earlier = before.get(slice);
      SliceSize size = earlier == null ? SliceSize.of(tables, slice) : earlier;
      if (size.bytes() < slice.table().bytes()) {
        // Else it may be for want of its index, which the next look may have.
        present.put(slice, size);
      }
      return size;
    };
  }
}
