// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import io.coppice.base.CorruptionException;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.table.TableEstimates;
import io.coppice.table.TableMeta;
import java.io.UncheckedIOException;

/**
 * Size of a slice: exact for a whole table, otherwise estimated from the table's index without
 * reading entries. The sizes of slices that show all of a table add up to it. A value that depends
 * only on slice and table, so it is the same after reopening.
 *
 * @param bytes bytes on disk
 * @param entries entries, assumed to be evenly distributed over the bytes
 * @param tombstones tombstones among them, with the same assumption; equal to the entries only if
 *     all entries of the table are tombstones
 */
public record SliceSize(long bytes, long entries, long tombstones) {

  /** Returns the size of a slice's whole table. */
  public static SliceSize ofTable(Slice slice) {
    TableMeta table = slice.table();
    return new SliceSize(table.bytes(), table.entries(), table.tombstones());
  }

  /**
   * Returns the size of a slice. If the table is damaged or unreadable, returns the size of the
   * whole table. The caller leases a version that names the slice.
   */
  public static SliceSize of(OpenTables tables, Slice slice) {
    SliceSize measured = measured(tables, slice);
    return measured == null ? ofTable(slice) : measured;
  }

  /**
   * Returns the size of a slice, or null if it shows only a part of a damaged or unreadable table.
   * The caller leases a version that names the slice.
   */
  public static SliceSize measured(OpenTables tables, Slice slice) {
    boolean lowCuts = slice.lowExclusive();
    boolean highCuts = slice.highCuts();
    if (!lowCuts && !highCuts) {
      return ofTable(slice);
    }
    try {
      Table table = tables.get(slice.table().number());
      long from = lowCuts ? TableEstimates.bytesUpTo(table, slice.low()) : 0;
      long to = highCuts ? TableEstimates.bytesUpTo(table, slice.high()) : slice.table().bytes();
      return between(slice.table(), from, to);
    } catch (CorruptionException | UncheckedIOException e) {
      return null;
    }
  }

  private static SliceSize between(TableMeta table, long from, long to) {
    long entries = share(table, to, table.entries()) - share(table, from, table.entries());
    long tombstones = share(table, to, table.tombstones()) - share(table, from, table.tombstones());
    long most = table.tombstones() == table.entries() ? entries : Math.max(0, entries - 1);
    return new SliceSize(to - from, entries, Math.min(tombstones, most));
  }

  private static long share(TableMeta table, long bytes, long count) {
    return (long) ((double) bytes / table.bytes() * count);
  }
}
