// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.entry.EntryBatchReader;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.TornTail;
import io.coppice.manifest.Catalogue;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.Snapshots;
import io.coppice.manifest.VersionEdit;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.Memtable;
import io.coppice.table.OpenTables;
import io.coppice.table.TableMeta;
import io.coppice.table.TableSeries;
import io.coppice.wal.WalReader;
import io.coppice.write.FlushedRuns;
import io.coppice.write.RecoveredLog;
import io.coppice.write.TableSizes;
import io.coppice.write.WritePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntFunction;

/**
 * Brings a directory back to the state its manifest and logs describe.
 *
 * <ol>
 *   <li>Tables that the manifest does not name are removed, by exact number, and so are logs below
 *       the floor.
 *   <li>The other logs are replayed in order, each entry into a memtable of its family; entries of
 *       families that were dropped are passed over.
 *   <li>If they all fit the memory of two sealed memtables, leave room for one more, and no end is
 *       torn, the newest is made durable, as the others are, and they stay: the write path flushes
 *       them later. A store opens at the speed of reading then.
 *   <li>Else the memtables are flushed. One edit names the tables and raises the floor of the logs;
 *       only then are the logs removed. A crash before it repeats everything, one after it repeats
 *       the removal.
 * </ol>
 *
 * <p>A half-merged job needs nothing here: what it left is a version like any other.
 *
 * <p>Used once, by one thread.
 */
public final class Recovery {

  /** As many memtables as wait to be flushed in an open store; one of them may have grown. */
  private static final int KEPT_MEMTABLES = 2;

  private static final int COPY_BYTES = 64 << 10;

  private final Disk disk;
  private final Manifest manifest;
  private final OpenTables tables;
  private final ChunkPool pool;
  private final long memtableBytes;
  private final IntFunction<TableSizes> sizes;

  /** Logs replayed whole, as long as nothing was flushed. */
  private final List<RecoveredLog> kept = new ArrayList<>();

  /** Bytes of entries in those. */
  private long keptBytes;

  private boolean flushing;
  private Catalogue catalogue;

  /** Of the log being replayed; of all since the last flush once there was one. */
  private FamilyLoaders loaders;

  private long lastSequence;
  private long droppedBytes;

  /** Behind the last group of the newest log. */
  private long end;

  /** Of the newest log: of its bytes behind these, a sync may have failed. */
  private long syncedBytes;

  /** True if the newest log has a torn end, which it may have only while it is the newest. */
  private boolean torn;

  /**
   * Prepares a recovery.
   *
   * @param memtableBytes of one memtable
   * @param sizes of the tables of a living family, by its number
   */
  public Recovery(
      Disk disk,
      Manifest manifest,
      OpenTables tables,
      ChunkPool pool,
      long memtableBytes,
      IntFunction<TableSizes> sizes) {
    this.disk = disk;
    this.manifest = manifest;
    this.tables = tables;
    this.pool = pool;
    this.memtableBytes = memtableBytes;
    this.sizes = sizes;
  }

  /**
   * Recovers.
   *
   * @return logs that are still to be flushed, oldest first; their memtables are the caller's
   * @throws CorruptionException if a log is damaged other than at the end of the newest one
   */
  public List<RecoveredLog> run() throws IOException {
    catalogue = manifest.catalogue();
    loaders = new FamilyLoaders(catalogue, pool);
    lastSequence = catalogue.marks().lastSequence();
    removeUnnamedTables();
    List<Long> logs = new ArrayList<>();
    for (long log : LoadedLogs.living(disk.list(), 0)) {
      if (log < catalogue.marks().walFloor()) {
        disk.delete(FileKind.WAL.fileName(log));
      } else {
        logs.add(log);
      }
    }
    try (FlushedRuns runs = new FlushedRuns(disk, tables, manifest, this::outputs)) {
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

  /** Whoever still finds a log that is in tables must find all that came after it. */
  private void removeLogs(List<Long> logs) throws IOException {
    for (int i = 0; i < logs.size(); i++) {
      disk.delete(FileKind.WAL.fileName(logs.get(i)));
      if (i == 0 && logs.size() > 1) {
        disk.syncDirectory();
      }
    }
  }

  /**
   * Makes the newest log durable, before there is a newer one. A sync that failed may have left its
   * end in memory only, marked as written, so that another sync does nothing: what is not known to
   * be durable is written again. The older ones were synced before the next was made. A name that
   * is not durable is that of a log without entries; creating the next log syncs the names. Zeros
   * behind the last record go, as only the newest log may have them.
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

  private TableSeries outputs(int family) {
    TableSizes size = sizes.apply(family);
    return new TableSeries(disk, tables, manifest::nextNumber, size.tableBytes()).of(family);
  }

  /** The last sequence number in use, after {@link #run}. */
  public long lastSequence() {
    return lastSequence;
  }

  /** Bytes of the newest log that were torn and left out, after {@link #run}. */
  public long droppedBytes() {
    return droppedBytes;
  }

  private void removeUnnamedTables() throws IOException {
    Set<Long> named = new HashSet<>();
    for (TableMeta table : catalogue.tables()) {
      named.add(table.number());
    }
    for (String name : disk.list()) {
      OptionalLong number = FileKind.TABLE.numberOf(name);
      if (number.isPresent() && !named.contains(number.getAsLong())) {
        disk.delete(name);
      }
    }
  }

  private void replay(long log, TornTail tornTail, FlushedRuns runs) throws IOException {
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

  private void add(long sequence, EntryBatchReader entry, FlushedRuns runs) throws IOException {
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

  /** Flushes all there is, oldest first; from then on nothing is kept. */
  private void flush(FlushedRuns runs) throws IOException {
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

  private static void flush(Map<Integer, Memtable> all, FlushedRuns runs) throws IOException {
    for (Map.Entry<Integer, Memtable> memtable : all.entrySet()) {
      runs.add(memtable.getKey(), memtable.getValue(), new Snapshots());
    }
  }

  private void install(FlushedRuns runs) throws IOException {
    runs.sync();
    VersionEdit marks =
        VersionEdit.builder()
            .walFloor(manifest.nextNumber(), false)
            .lastSequence(lastSequence)
            .build();
    runs.install(marks, family -> true);
  }
}
