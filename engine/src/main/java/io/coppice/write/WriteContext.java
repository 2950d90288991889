// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.Workers;
import io.coppice.io.Disk;
import io.coppice.io.Reserve;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.Snapshots;
import io.coppice.memtable.ChunkPool;
import io.coppice.table.OpenTables;
import io.coppice.table.TableSeries;
import java.util.function.DoubleSupplier;

/**
 * What writes need from their store. Safe to share between threads.
 *
 * @param workers flush, and sync the log while it grows
 * @param reserve while it is released nothing is written to log and tables
 * @param memtableBytes the memtables of all families are sealed before their entries together
 *     exceed this
 * @param backlogDebt how much merging is wanted: at 1 writers are held back most
 * @param name a name for threads
 */
public record WriteContext(
    Workers workers,
    Disk disk,
    Reserve reserve,
    Manifest manifest,
    OpenTables tables,
    Snapshots snapshots,
    ChunkPool pool,
    WriteListener listener,
    long memtableBytes,
    DoubleSupplier backlogDebt,
    String name) {

  /** A series for the tables that one flush makes of a family. */
  TableSeries outputs(TableSizes sizes) {
    return new TableSeries(
        disk, tables, manifest::nextNumber, sizes.tableBytes(), sizes.tableEntries());
  }
}
