// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.entry.EntryBatchReader;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.TornTail;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.SnapshotList;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.Memtable;
import io.coppice.table.OpenTables;
import io.coppice.table.RollingTableWriter;
import io.coppice.table.TableMeta;
import io.coppice.version.ManifestState;
import io.coppice.version.VersionEdit;
import io.coppice.wal.WalReader;
import io.coppice.write.WritePath;
import io.coppice.write.family.FamilyWriteLimits;
import io.coppice.write.family.FlushOutputs;
import io.coppice.write.family.RecoveredLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * Recovery of a directory to the state that its manifest and logs describe.
 *
 * <ol>
 *   <li>Tables that the manifest does not name are removed, by exact number, and so are logs below
 *       the floor.
 *   <li>The other logs are replayed in order, each entry into a memtable of its family; entries of
 *       dropped families are skipped.
 *   <li>The logs stay if they fit into the memory of two sealed memtables, leave room for one more,
 *       and have no torn end. The newest log is then made durable, as the others are, and the write
 *       path flushes them later. Opening a store thus takes only the time of reading.
 *   <li>Otherwise the memtables are flushed. One edit names the tables and raises the floor of the
 *       logs; only then are the logs removed. A crash before the edit repeats everything, one after
 *       it repeats the removal.
 * </ol>
 *
 * <p>A half-finished merge needs no work: it leaves an ordinary version.
 *
 * <p>Used once, by one thread.
 */
public final class Recovery {

  /**
   * Number of memtables that logs may fill and stay: an open store has as many sealed ones. One of
   * them may be larger than usual.
   */
  private static final int KEPT_MEMTABLES = 2;

  private static final int COPY_BYTES = 64 << 10;

  private final Disk disk;
  private final Manifest manifest;
  private final OpenTables tables;
  private final ChunkPool pool;
  private final long memtableBytes;
  private final IntFunction<FamilyWriteLimits> sizes;

  /** Replayed logs whose memtables stay in memory; empty once recovery has flushed. */
  private final List<RecoveredLog> kept = new ArrayList<>();

  /** Bytes of the entries in {@link #kept}. */
  private long keptBytes;

  private boolean flushing;
  private ManifestState state;

  /** Memtables of the log being replayed; after a flush, those of all logs since. */
  private FamilyLoaders loaders;

  private long lastSequence;
  private long droppedBytes;

  /** Offset after the last group of the newest log. */
  private long end;

  /**
   * Length of the prefix of the newest log that is known to be durable; a sync of the bytes after
   * it may have failed.
   */
  private long syncedBytes;

  /** Whether the newest log has a torn end, which only a newest log may have. */
  private boolean torn;

  /**
   * Creates a recovery of a directory.
   *
   * @param memtableBytes size of one memtable in bytes
   * @param sizes returns the write limits of a living family by its number
   */
  public Recovery(
      Disk disk,
      Manifest manifest,
      OpenTables tables,
      ChunkPool pool,
      long memtableBytes,
      IntFunction<FamilyWriteLimits> sizes) {
    this.disk = disk;
    this.manifest = manifest;
    this.tables = tables;
    this.pool = pool;
    this.memtableBytes = memtableBytes;
    this.sizes = sizes;
  }

  /**
   * Recovers the directory's state.
   *
   * @return logs that must still be flushed, oldest first; the caller owns the references to their
   *     memtables
   * @throws CorruptionException if a log is damaged other than at the end of the newest one
   * @throws io.coppice.base.DiskFullException if the disk is full; a new recovery may try again
   * @throws IllegalArgumentException if the memory budget has no room for one entry
   * @throws IOException if a read or write fails. After each exception every logged entry is still
   *     in a log or a named table
   */
  public List<RecoveredLog> run() throws IOException {
    state = manifest.state();
    loaders = new FamilyLoaders(state, pool);
    lastSequence = state.marks().lastSequence();
    removeUnnamedTables();
    List<Long> logs = new ArrayList<>();
    for (long log : LoadedLogs.fromFloor(disk.list(), 0)) {
      if (log < state.marks().walFloor()) {
        disk.delete(FileKind.WAL.fileName(log));
      } else {
        logs.add(log);
      }
    }
    try (FlushOutputs runs = new FlushOutputs(disk, tables, manifest, this::outputs)) {
      for (int i = 0; i < logs.size(); i++) {
        boolean newest = i == logs.size() - 1;
        replay(logs.get(i), newest ? TornTail.DROP : TornTail.REFUSE, runs);
      }
      if (!flushing && !torn && pool.hasRoom(memtableBytes)) {
        if (!logs.isEmpty()) {
          makeDurable(logs.get(logs.size() - 1));
        }
        List<RecoveredLog> whole = List.copyOf(kept);
        kept.clear();
        return whole;
      }
      flush(runs);
      install(runs);
    } finally {
      loaders.release();
      for (RecoveredLog log : kept) {
        log.release();
      }
    }
    removeLogs(logs);
    return List.of();
  }

  /**
   * Removes logs, the oldest first: a crash that leaves a flushed log must also leave all later
   * ones.
   */
  private void removeLogs(List<Long> logs) throws IOException {
    for (int i = 0; i < logs.size(); i++) {
      disk.delete(FileKind.WAL.fileName(logs.get(i)));
      if (i == 0 && logs.size() > 1) {
        disk.syncDirectory();
      }
    }
  }

  /**
   * Makes the newest log durable before a newer one exists. A failed sync may have left its end in
   * memory only, marked as written, so that another sync does nothing. The bytes not known to be
   * durable are therefore written again. The older logs were synced before their successors were
   * created. A log whose name is not durable is empty, and creating the next log syncs the names.
   * Zeros after the last record are cut off, because only a newest log may have them.
   */
  private void makeDurable(long log) throws IOException {
    byte[] bytes = new byte[COPY_BYTES];
    try (Disk.SlotFile file = disk.openSlots(FileKind.WAL.fileName(log))) {
      if (file.length() > end) {
        file.truncate(end);
      }
      for (long at = syncedBytes; at < file.length(); at += bytes.length) {
        int count = (int) Math.min(bytes.length, file.length() - at);
        file.read(at, bytes, 0, count);
        file.write(at, bytes, 0, count);
      }
      file.sync();
    }
  }

  private RollingTableWriter outputs(int family) {
    FamilyWriteLimits size = sizes.apply(family);
    return new RollingTableWriter(disk, tables, manifest::nextNumber, size.tableBytes())
        .forFamily(family);
  }

  /** Returns the last sequence number in use, after {@link #run}. */
  public long lastSequence() {
    return lastSequence;
  }

  /**
   * Returns the dropped bytes of the newest log's torn end, after {@link #run}; 0 if there is none.
   */
  public long droppedBytes() {
    return droppedBytes;
  }

  private void removeUnnamedTables() throws IOException {
    Set<Long> named = new HashSet<>();
    for (TableMeta table : state.tables()) {
      named.add(table.number());
    }
    for (String name : disk.list()) {
      OptionalLong number = FileKind.TABLE.numberOf(name);
      if (number.isPresent() && !named.contains(number.getAsLong())) {
        disk.delete(name);
      }
    }
  }

  private void replay(long log, TornTail tornTail, FlushOutputs runs) throws IOException {
    try (WalReader groups = WalReader.open(disk, log, tornTail)) {
      while (groups.next()) {
        long sequence = groups.firstSequence();
        EntryBatchReader entries = groups.entries();
        while (entries.next()) {
          if (loaders.wants(groups)) {
            add(sequence, entries, runs);
          }
          sequence++;
        }
        lastSequence = Math.max(lastSequence, sequence - 1);
      }
      syncedBytes = groups.syncedBytes();
      end = groups.end();
      droppedBytes += groups.droppedBytes();
      torn |= groups.torn();
    }
    if (!flushing) {
      RecoveredLog whole = new RecoveredLog(log, loaders.take(), lastSequence);
      kept.add(whole);
      keptBytes += whole.usedBytes();
    }
  }

  private void add(long sequence, EntryBatchReader entry, FlushOutputs runs) throws IOException {
    long bytes = loaders.bytesOf(entry);
    long grown = memtableBytes / WritePath.GROWTH_PART;
    long most = flushing ? memtableBytes : KEPT_MEMTABLES * memtableBytes + grown;
    if (keptBytes + loaders.usedBytes() + bytes > most || loaders.hasTooManyRanges()) {
      flush(runs);
    }
    if (!loaders.add(sequence, entry)) {
      flush(runs);
      if (!loaders.add(sequence, entry)) {
        throw new IllegalArgumentException(
            "the memory budget has no room to recover an entry of "
                + bytes
                + " bytes; open the store with more memory");
      }
    }
  }

  /** Flushes all memtables, oldest first; from then on no log is kept. */
  private void flush(FlushOutputs runs) throws IOException {
    flushing = true;
    for (RecoveredLog log : kept) {
      flush(log.memtables(), runs);
    }
    for (RecoveredLog log : kept) {
      log.release();
    }
    kept.clear();
    keptBytes = 0;
    flush(loaders.link(), runs);
    loaders.release();
  }

  private static void flush(Map<Integer, Memtable> all, FlushOutputs runs) throws IOException {
    for (Map.Entry<Integer, Memtable> memtable : all.entrySet()) {
      runs.add(memtable.getKey(), memtable.getValue(), new SnapshotList());
    }
  }

  private void install(FlushOutputs runs) throws IOException {
    runs.sync();
    VersionEdit marks =
        VersionEdit.builder()
            .walFloor(manifest.nextNumber(), false)
            .lastSequence(lastSequence)
            .build();
    runs.install(marks, family -> true);
  }
}
