// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.entry.EntryBatchReader;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.TornTail;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.Snapshots;
import io.coppice.manifest.Version;
import io.coppice.manifest.VersionEdit;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.Demand;
import io.coppice.memtable.Memtable;
import io.coppice.table.OpenTables;
import io.coppice.table.TableMeta;
import io.coppice.table.TableSeries;
import io.coppice.wal.WalReader;
import io.coppice.write.FlushJob;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Brings a directory back to the state its manifest and logs describe.
 *
 * <ol>
 *   <li>Tables that the manifest does not name are removed, by exact number.
 *   <li>Logs that hold what is not in tables are replayed in order, each memtable of them flushed.
 *   <li>One edit names all those tables and raises the floor of the logs; only then are the logs
 *       removed. A crash before it repeats everything, one after it repeats the removal.
 * </ol>
 *
 * <p>A half-merged job needs nothing here: what it left is a version like any other.
 */
public final class Recovery {

  private final Disk disk;
  private final Manifest manifest;
  private final OpenTables tables;
  private final ChunkPool pool;
  private final long memtableBytes;
  private final long tableBytes;
  private final long tableEntries;

  private final List<List<TableMeta>> flushed = new ArrayList<>();
  private final Demand demand = new Demand();
  private Memtable memtable;
  private long lastSequence;
  private long droppedBytes;

  /**
   * Prepares a recovery.
   *
   * @param memtableBytes replayed entries are flushed before they exceed this
   * @param tableBytes the size at which flushes cut their tables
   * @param tableEntries the number of entries at which flushes cut their tables
   */
  public Recovery(
      Disk disk,
      Manifest manifest,
      OpenTables tables,
      ChunkPool pool,
      long memtableBytes,
      long tableBytes,
      long tableEntries) {
    this.disk = disk;
    this.manifest = manifest;
    this.tables = tables;
    this.pool = pool;
    this.memtableBytes = memtableBytes;
    this.tableBytes = tableBytes;
    this.tableEntries = tableEntries;
  }

  /**
   * Recovers.
   *
   * @throws CorruptionException if a log is damaged other than at the end of the newest one
   */
  public void run() throws IOException {
    Version version = manifest.current();
    lastSequence = version.marks().lastSequence();
    removeUnnamedTables(version);
    List<Long> logs = logs();
    try (TableSeries outputs =
        new TableSeries(disk, tables, manifest::nextNumber, tableBytes, tableEntries)) {
      for (int i = 0; i < logs.size(); i++) {
        if (logs.get(i) >= version.marks().walFloor()) {
          boolean newest = i == logs.size() - 1;
          replay(logs.get(i), newest ? TornTail.DROP : TornTail.REFUSE, outputs);
        }
      }
      flush(outputs);
      if (!logs.isEmpty()) {
        install(outputs);
      }
    } finally {
      if (memtable != null) {
        memtable.release();
      }
    }
    for (long log : logs) {
      disk.delete(FileKind.WAL.fileName(log));
    }
  }

  /** The last sequence number in use, after {@link #run}. */
  public long lastSequence() {
    return lastSequence;
  }

  /** Bytes of the newest log that were torn and left out, after {@link #run}. */
  public long droppedBytes() {
    return droppedBytes;
  }

  private void removeUnnamedTables(Version version) throws IOException {
    Set<Long> named = new HashSet<>();
    version.slices().forEach(slice -> named.add(slice.table().number()));
    for (String name : disk.list()) {
      OptionalLong number = FileKind.TABLE.numberOf(name);
      if (number.isPresent() && !named.contains(number.getAsLong())) {
        disk.delete(name);
      }
    }
  }

  private List<Long> logs() throws IOException {
    List<Long> logs = new ArrayList<>();
    for (String name : disk.list()) {
      FileKind.WAL.numberOf(name).ifPresent(logs::add);
    }
    logs.sort(null);
    return logs;
  }

  private void replay(long log, TornTail tornTail, TableSeries outputs) throws IOException {
    try (WalReader groups = WalReader.open(disk, log, tornTail)) {
      while (groups.next()) {
        long sequence = groups.firstSequence();
        EntryBatchReader entries = groups.entries();
        while (entries.next()) {
          add(sequence++, entries, outputs);
        }
        lastSequence = Math.max(lastSequence, sequence - 1);
      }
      droppedBytes += groups.droppedBytes();
    }
  }

  private void add(long sequence, EntryBatchReader entry, TableSeries outputs) throws IOException {
    demand.clear();
    demand.add(entry.keyLength(), entry.valueLength());
    if (memtable != null && memtable.usedBytes() + demand.bytes() > memtableBytes) {
      flush(outputs);
    }
    if (memtable == null || !memtable.ensure(demand)) {
      flush(outputs);
      memtable = Memtable.tryCreate(pool);
      if (memtable == null || !memtable.ensure(demand)) {
        throw new IllegalArgumentException(
            "the memory budget has no room to recover an entry of "
                + demand.bytes()
                + " bytes; open the store with more memory");
      }
    }
    boolean added =
        memtable.add(
            sequence,
            entry.kind(),
            entry.array(),
            entry.keyFrom(),
            entry.keyLength(),
            entry.array(),
            entry.valueFrom(),
            entry.valueLength());
    assert added : "the memory was ensured";
  }

  private void flush(TableSeries outputs) throws IOException {
    if (memtable == null) {
      return;
    }
    int before = outputs.finished().size();
    List<TableMeta> all = FlushJob.run(memtable, new Snapshots(), outputs);
    flushed.add(all.subList(before, all.size()));
    memtable.release();
    memtable = null;
  }

  private void install(TableSeries outputs) throws IOException {
    VersionEdit.Builder edit = VersionEdit.builder();
    for (List<TableMeta> run : flushed) {
      long id = manifest.nextNumber();
      edit.addRun(0, id, Set.of());
      for (TableMeta table : run) {
        edit.addTable(0, id, table.number(), table);
      }
    }
    long floor = manifest.nextNumber();
    VersionEdit whole = edit.walFloor(floor).lastSequence(lastSequence).build();
    outputs.handTo(() -> manifest.install(whole));
  }
}
