// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.DiskFullException;
import io.coppice.base.thread.Workers;
import io.coppice.io.Disk;
import io.coppice.io.disk.DiskSpaceReserve;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.SnapshotList;
import io.coppice.memtable.ChunkPool;
import io.coppice.table.OpenTables;
import io.coppice.table.RollingTableWriter;
import io.coppice.write.family.FamilyWriteLimits;
import java.io.IOException;
import java.util.function.DoubleSupplier;

/**
 * Dependencies of the write path in its store. Safe to share between threads.
 *
 * @param workers run flushes and syncs of the growing log
 * @param reserve while it is released, the log takes only deletions
 * @param memtableBytes bytes of entries in the memtables of all families together that cause a
 *     flush
 * @param backlogPressure merge backlog relative to the tables: 1 for twice the bytes of all tables
 *     plus 64 flushes; as a write pressure it counts at most 0.75
 * @param name a name for threads
 */
public record WriteContext(
    Workers workers,
    Disk disk,
    DiskSpaceReserve reserve,
    Manifest manifest,
    OpenTables tables,
    SnapshotList snapshots,
    ChunkPool pool,
    WriteListener listener,
    long memtableBytes,
    DoubleSupplier backlogPressure,
    String name) {

  /** Returns a writer for the tables of one flush of a family; the caller closes it. */
  RollingTableWriter outputs(int family, FamilyWriteLimits limits) {
    return new RollingTableWriter(disk, tables, manifest::nextNumber, limits.tableBytes())
        .forFamily(family);
  }

  /** Divisor of a released reserve: deletions leave this part of it free. */
  private static final int KEPT_SHARE = 4;

  /**
   * Divisor of the free space: while the reserve is released, a flush of entries without a log
   * record takes at most this part.
   */
  private static final int LEFT_SHARE = 2;

  /**
   * Checks the disk space for a write. If the reserve is released and cannot be set aside again,
   * writes are refused, because merges need the space to free more. Deletions give merges something
   * to remove, so they pass while a quarter of the reserve is free beside the space for the next
   * flushes.
   *
   * @param deletesOnly whether the write contains only deletions
   * @param unflushedBytes bytes in memtables
   * @throws DiskFullException if the write is refused; its message names the bytes wanted and free
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
   * Checks the disk space for a flush. If the reserve is released and cannot be set aside again,
   * half of the free space must remain for merges. A flush of logged entries always passes, because
   * the deletion of its log frees as much space.
   *
   * @param bytes bytes of memtables with entries in no log, otherwise 0
   * @throws DiskFullException if there is too little space
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
