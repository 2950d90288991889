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
import io.coppice.memtable.Demand;
import io.coppice.memtable.Memtable;
import io.coppice.table.OpenTables;
import io.coppice.table.TableSeries;
import io.coppice.wal.WalReader;
import io.coppice.write.FlushedRuns;
import io.coppice.write.TableSizes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
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
 *   <li>Tables that the manifest does not name are removed, by exact number.
 *   <li>Logs that hold what is not in tables are replayed in order, each entry into a memtable of
 *       its family; entries of families that were dropped are passed over. Full memtables are
 *       flushed.
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
  private final IntFunction<TableSizes> sizes;

  private final Demand demand = new Demand();

  /** By family. */
  private final Map<Integer, Memtable> memtables = new HashMap<>();

  private Catalogue catalogue;
  private long lastSequence;
  private long droppedBytes;

  /**
   * Prepares a recovery.
   *
   * @param memtableBytes replayed entries are flushed before they exceed this
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
   * @throws CorruptionException if a log is damaged other than at the end of the newest one
   */
  public void run() throws IOException {
    catalogue = manifest.catalogue();
    lastSequence = catalogue.marks().lastSequence();
    removeUnnamedTables();
    List<Long> logs = logs();
    try (FlushedRuns runs = new FlushedRuns(disk, this::outputs)) {
      for (int i = 0; i < logs.size(); i++) {
        if (logs.get(i) >= catalogue.marks().walFloor()) {
          boolean newest = i == logs.size() - 1;
          replay(logs.get(i), newest ? TornTail.DROP : TornTail.REFUSE, runs);
        }
      }
      flush(runs);
      if (!logs.isEmpty()) {
        install(runs);
      }
    } finally {
      memtables.values().forEach(Memtable::release);
    }
    for (long log : logs) {
      disk.delete(FileKind.WAL.fileName(log));
    }
  }

  private TableSeries outputs(int family) {
    TableSizes size = sizes.apply(family);
    return new TableSeries(
        disk, tables, manifest::nextNumber, size.tableBytes(), size.tableEntries());
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
    catalogue.tables().forEach(table -> named.add(table.number()));
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

  private void replay(long log, TornTail tornTail, FlushedRuns runs) throws IOException {
    try (WalReader groups = WalReader.open(disk, log, tornTail)) {
      while (groups.next()) {
        long sequence = groups.firstSequence();
        EntryBatchReader entries = groups.entries();
        while (entries.next()) {
          groups.checkFamily(catalogue.marks().nextFamily());
          if (catalogue.family(entries.family()) != null) {
            add(sequence, entries, runs);
          }
          sequence++;
        }
        lastSequence = Math.max(lastSequence, sequence - 1);
      }
      droppedBytes += groups.droppedBytes();
    }
  }

  private void add(long sequence, EntryBatchReader entry, FlushedRuns runs) throws IOException {
    demand.clear();
    demand.add(entry.keyLength(), entry.valueLength());
    if (usedBytes() + demand.bytes() > memtableBytes) {
      flush(runs);
    }
    Memtable memtable = memtable(entry.family());
    if (memtable == null) {
      flush(runs);
      memtable = memtable(entry.family());
    }
    if (memtable == null) {
      throw new IllegalArgumentException(
          "the memory budget has no room to recover an entry of "
              + demand.bytes()
              + " bytes; open the store with more memory");
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

  private long usedBytes() {
    long bytes = 0;
    for (Memtable memtable : memtables.values()) {
      bytes += memtable.usedBytes();
    }
    return bytes;
  }

  /** The family's memtable with room for what is demanded; null if no memory could be had. */
  private Memtable memtable(int family) {
    Memtable memtable = memtables.get(family);
    if (memtable == null) {
      memtable = Memtable.tryCreate(pool);
      if (memtable == null) {
        return null;
      }
      memtables.put(family, memtable);
    }
    return memtable.ensure(demand) ? memtable : null;
  }

  private void flush(FlushedRuns runs) throws IOException {
    for (Map.Entry<Integer, Memtable> memtable : memtables.entrySet()) {
      runs.add(memtable.getKey(), memtable.getValue(), new Snapshots());
    }
    memtables.values().forEach(Memtable::release);
    memtables.clear();
  }

  private void install(FlushedRuns runs) throws IOException {
    runs.syncNames();
    VersionEdit marks =
        VersionEdit.builder().walFloor(manifest.nextNumber()).lastSequence(lastSequence).build();
    runs.install(manifest, marks, family -> true);
  }
}
