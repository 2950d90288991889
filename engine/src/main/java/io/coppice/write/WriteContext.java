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
 * @param reserve while it is released only deletions are written to the log
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

  /** Deletions may take what is free of a released reserve, except for this part of it. */
  private static final int KEPT_SHARE = 4;

  /** Part of the free space that a flush leaves to merges while the reserve is released. */
  private static final int LEFT_SHARE = 2;

  /**
   * Refuses a write while the reserve cannot be set aside again: merges need what it gave up to
   * make room. Deletions give merges something to remove, so they pass while a part is free beside
   * what the next flushes need.
   *
   * @param deletesOnly whether the write holds nothing else
   * @param unflushedBytes of memtables
   * @throws DiskFullException if there is no room
   */
  void checkWrite(boolean deletesOnly, long unflushedBytes) {
    if (reserve.released() && !reserve.ensure()) {
      long free = freeBytes();
      if (!deletesOnly || free < reserve.wantedBytes() / KEPT_SHARE + unflushedBytes) {
        throw full("a write", free);
      }
    }
  }

  /**
   * Refuses a flush while the reserve cannot be set aside again, unless half of the free space
   * remains for merges. A flush of logged entries gives its room back when the log goes.
   *
   * @param bytes of memtables with entries in no log, else 0
   * @throws DiskFullException if there is no room
   */
  void checkFlush(long bytes) {
    if (reserve.released() && !reserve.ensure()) {
      long free = freeBytes();
      if (free / LEFT_SHARE < bytes) {
        throw full("a flush", free);
      }
    }
  }

  private DiskFullException full(String what, long free) {
    return new DiskFullException(
        what + " must leave room for merges, which", reserve.wantedBytes(), free, null);
  }

  private long freeBytes() {
    try {
      return disk.freeBytes();
    } catch (IOException e) {
      listener.troubled("the free space is unknown", e);
      return -1;
    }
  }
}
