// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.disk.DiskSpaceReserve;
import io.coppice.io.disk.FailStopDisk;
import io.coppice.manifest.Manifest;
import io.coppice.table.TableMeta;
import io.coppice.version.EditOp;
import io.coppice.version.ManifestState;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.NullMarked;

/**
 * Copy of a store that shares its tables by hard links if the file systems allow it. Tables never
 * change, so when one store deletes a shared table, the other keeps it. A value.
 *
 * @param tables tables in the copy
 * @param linkedBytes bytes of tables that are shared with the first store
 * @param copiedBytes bytes of tables, logs and filters that were copied
 */
@NullMarked
public record Checkpoint(int tables, long linkedBytes, long copiedBytes) {

  private static final int PIECE_BYTES = 256 << 10;

  /**
   * Writes a store with the content of a manifest state. Everything is durable afterwards except
   * the name of its directory. A running merge needs no special care: its present result is part of
   * the versions.
   *
   * @param source disk with the tables; the caller's lease keeps them
   * @param logs ascending numbers of the logs with the entries outside tables; no thread may write
   *     to them, because they are copied
   * @param target an empty disk
   * @param progress receives the share of the tables' bytes written, from 0 to 1
   * @throws io.coppice.base.DiskFullException if the target has no room
   * @throws CorruptionException if a table is missing
   * @throws IOException if a read or write fails. After each exception the target keeps the files
   *     already written
   */
  public static Checkpoint write(
      Disk source, ManifestState state, List<Long> logs, Disk target, DoubleConsumer progress)
      throws IOException {
    long all = state.tables().stream().mapToLong(TableMeta::bytes).sum();
    Disk guarded = new FailStopDisk(target, DiskSpaceReserve.open(target, () -> 0));
    long linked = 0;
    long copied = 0;
    for (TableMeta table : state.tables()) {
      String name = FileKind.TABLE.fileName(table.number());
      try {
        if (source.link(name, target)) {
          linked += table.bytes();
        } else {
          copied += copy(source, name, guarded);
        }
      } catch (NoSuchFileException e) {
        throw new CorruptionException(name, 0, "the file is missing", e);
      }
      progress.accept((double) (linked + copied) / all);
    }
    long next = state.marks().nextNumber();
    for (long log : logs) {
      copied += copy(source, FileKind.WAL.fileName(log), guarded);
      next = Math.max(next, log + 1);
    }
    String filters = FileKind.FILTERS.fileName(0);
    if (source.list().contains(filters)) {
      // The first opening rebuilds the slots that change during the copy.
      copied += copy(source, filters, guarded);
    }
    ManifestState.Marks marks = state.marks();
    EditOp.WalFloor floor =
        logs.isEmpty()
            ? new EditOp.WalFloor(next, false)
            : new EditOp.WalFloor(marks.walFloor(), marks.floorBegun());
    Manifest.write(guarded, state, floor, next);
    return new Checkpoint(state.tables().size(), linked, copied);
  }

  /** Copies a file and makes its bytes durable. Returns its length. */
  private static long copy(Disk source, String name, Disk target) throws IOException {
    try (Disk.InputFile from = source.open(name);
        Disk.OutputFile to = target.create(name)) {
      copy(from, from.length(), to);
      return from.length();
    }
  }

  /** Copies the first bytes of a file and makes them durable. */
  static void copy(Disk.InputFile from, long bytes, Disk.OutputFile to) throws IOException {
    byte[] piece = new byte[(int) Math.min(PIECE_BYTES, Math.max(1, bytes))];
    for (long at = 0; at < bytes; at += piece.length) {
      int count = (int) Math.min(piece.length, bytes - at);
      from.read(at, piece, 0, count);
      to.write(piece, 0, count);
    }
    to.sync();
  }
}
