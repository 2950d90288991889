// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.Workers;
import io.coppice.io.Disk;
import io.coppice.io.Reserve;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.Snapshots;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.Memtables;
import io.coppice.table.OpenTables;
import io.coppice.table.TableSeries;

/**
 * What writes need from their store. Safe to share between threads.
 *
 * @param workers flush, and sync the log while it grows
 * @param reserve while it is released nothing is written to log and tables
 * @param memtableBytes a memtable is sealed before its entries exceed this
 * @param tableBytes the size at which flushes cut their tables
 * @param tableEntries the number of entries at which flushes cut their tables
 * @param restingRuns runs in level 0 up to which the policy may leave them alone; only what lies
 *     above that makes writers wait
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
    Memtables memtables,
    WriteListener listener,
    long memtableBytes,
    long tableBytes,
    long tableEntries,
    long restingRuns,
    String name) {

  /** A series for one flush. */
  public TableSeries outputs() {
    return new TableSeries(disk, tables, manifest::nextNumber, tableBytes, tableEntries);
  }
}
