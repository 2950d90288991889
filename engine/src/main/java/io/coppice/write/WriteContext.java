// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.DiskFullException;
import io.coppice.base.Workers;
import io.coppice.io.Disk;
import io.coppice.io.Reserve;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.Snapshots;
import io.coppice.memtable.ChunkPool;
import io.coppice.table.OpenTables;
import io.coppice.table.TableSeries;
import java.io.IOException;
import java.util.function.DoubleSupplier;

/**
 * What writes need from their store. Safe to share between threads.
 *
 * @param workers flush, and sync the log while it grows
 * @param reserve while it is released nothing is written to log and tables
 * @param memtableBytes the memtables of all families are full before their entries together exceed
 *     this
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
  TableSeries outputs(int family, TableSizes sizes) {
    return new TableSeries(disk, tables, manifest::nextNumber, sizes.tableBytes()).of(family);
  }

  /**
   * Refuses to write while the reserve cannot be had back: what it gave up is for merges, which
   * make room again.
   *
   * @param what is refused, for the message
   * @throws DiskFullException if there is no room for the reserve
   */
  void checkReserve(String what) {
    if (reserve.released() && !reserve.ensure()) {
      long free = -1;
      try {
        free = disk.freeBytes();
      } catch (IOException e) {
        listener.troubled("the free space is unknown", e);
      }
      throw new DiskFullException(
          what + " must leave room for merges, which", reserve.wantedBytes(), free, null);
    }
  }
}
