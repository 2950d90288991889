// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write.family;

import io.coppice.io.Disk;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.SnapshotList;
import io.coppice.memtable.Memtable;
import io.coppice.table.OpenTables;
import io.coppice.table.RollingTableWriter;
import io.coppice.table.TableMeta;
import io.coppice.version.ManifestState;
import io.coppice.version.RunEntries;
import io.coppice.version.VersionEdit;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/**
 * New level 0 runs of several families that one edit installs atomically: a batch over two families
 * is in tables of both or of none. {@link #close} deletes tables that were not installed. Not safe
 * to share between threads.
 */
public final class FlushOutputs implements Closeable {

  private record NewRun(int family, Memtable memtable, long sealedEntries, List<TableMeta> tables) {
    Flushed flushed() {
      long bytes = 0;
      long entries = 0;
      for (TableMeta table : tables) {
        bytes += table.bytes();
        entries += table.entries();
      }
      return new Flushed(bytes, sealedEntries, entries, tables);
    }
  }

  /**
   * Result of flushing the memtables of a family. The counts of entries include every version of a
   * key.
   *
   * @param bytes bytes of the tables
   * @param sealedEntries entries in the memtables
   * @param entries entries in the tables; fewer if the flush omitted versions that no reader sees
   * @param tables oldest run first, each run in key order
   */
  public record Flushed(long bytes, long sealedEntries, long entries, List<TableMeta> tables) {
    Flushed plus(Flushed other) {
      List<TableMeta> all = new ArrayList<>(tables);
      all.addAll(other.tables);
      return new Flushed(
          bytes + other.bytes, sealedEntries + other.sealedEntries, entries + other.entries, all);
    }
  }

  private final Disk disk;
  private final OpenTables opened;
  private final Manifest manifest;
  private final IntFunction<RollingTableWriter> outputs;

  /**
   * Maximum number of families with unsynced tables, because each such table holds a file
   * descriptor.
   */
  private static final int MAX_UNSYNCED = 4;

  private final Map<Integer, RollingTableWriter> writers = new HashMap<>();

  /** Writers that may have unsynced tables, oldest first. */
  private final Deque<RollingTableWriter> unsynced = new ArrayDeque<>(MAX_UNSYNCED + 1);

  private final List<NewRun> runs = new ArrayList<>();

  /**
   * Creates an empty set of runs.
   *
   * @param outputs makes a writer for a family number; this object closes it
   */
  public FlushOutputs(
      Disk disk, OpenTables opened, Manifest manifest, IntFunction<RollingTableWriter> outputs) {
    this.disk = disk;
    this.opened = opened;
    this.manifest = manifest;
    this.outputs = outputs;
  }

  /**
   * Writes a memtable as the next newer run of a family. The run is durable only after {@link
   * #sync}.
   *
   * @param memtable memtable that the caller holds until {@link #install}
   * @throws IOException if a table cannot be written; {@link #close} then deletes all tables
   */
  public void add(int family, Memtable memtable, SnapshotList snapshots) throws IOException {
    RollingTableWriter target = writers.computeIfAbsent(family, outputs::apply);
    if (opened.filtersDependOnRuns()) {
      sizeFilters(family, memtable, target);
    }
    int before = target.finished().size();
    FlushJob.run(memtable, snapshots, target);
    List<TableMeta> all = target.finished();
    runs.add(new NewRun(family, memtable, memtable.entries(), all.subList(before, all.size())));
    unsynced.add(target);
    if (unsynced.size() > MAX_UNSYNCED) {
      unsynced.remove().syncTables();
    }
  }

  /**
   * Sizes the filters by the entries of all runs of the family. A dropped family is skipped,
   * because its run is never read.
   */
  private void sizeFilters(int family, Memtable memtable, RollingTableWriter target) {
    ManifestState.Family living = manifest.state().family(family);
    if (living != null) {
      RunEntries runs = RunEntries.afterFlush(living.version(), memtable.entries());
      target.filtersFor(runs.own(), runs.others());
    }
  }

  /**
   * Makes all tables and their names durable, so that an edit may name them. Waits for the disk.
   *
   * @throws IOException if a sync fails; no edit may name the tables then
   */
  public void sync() throws IOException {
    for (RollingTableWriter one : writers.values()) {
      one.syncTables();
    }
    if (runs.stream().anyMatch(run -> !run.tables().isEmpty())) {
      disk.syncDirectory();
    }
  }

  /**
   * Installs the runs of living families by one edit, after {@link #sync}.
   *
   * @param marks changes of counters in the manifest that the same edit makes
   * @param living tells by number whether a family was not dropped
   * @return the result for each family that got tables, by number
   * @throws IOException if the edit cannot be written; {@link #close} then deletes the tables,
   *     unless the manifest may name them
   */
  public Map<Integer, Flushed> install(VersionEdit marks, IntPredicate living) throws IOException {
    VersionEdit.Builder edit = VersionEdit.builder().append(marks);
    Map<Integer, Flushed> flushed = new HashMap<>();
    for (NewRun run : runs) {
      if (run.tables().isEmpty() || !living.test(run.family())) {
        continue;
      }
      long id = manifest.nextNumber();
      run.memtable().setFlushRun(id);
      edit.family(run.family()).addRun(0, id, Set.of());
      for (TableMeta table : run.tables()) {
        edit.addTable(0, id, table.number(), table);
      }
      flushed.merge(run.family(), run.flushed(), Flushed::plus);
    }
    VersionEdit whole = edit.build();
    List<RollingTableWriter> handed = new ArrayList<>(flushed.size());
    for (int family : flushed.keySet()) {
      handed.add(writers.get(family));
    }
    RollingTableWriter.handTo(handed, () -> manifest.install(whole), manifest::mayName);
    return flushed;
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (RollingTableWriter one : writers.values()) {
      try {
        one.close();
      } catch (IOException | RuntimeException | Error e) {
        if (failure == null) {
          failure = e instanceof IOException io ? io : new IOException(e.getMessage(), e);
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
