// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.context;

import io.coppice.base.thread.Workers;
import io.coppice.entry.EntryCompactor;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryHooks;
import io.coppice.entry.RangeDeletions;
import io.coppice.io.Disk;
import io.coppice.io.disk.DiskSpaceReserve;
import io.coppice.manifest.SnapshotList;
import io.coppice.table.OpenTables;
import io.coppice.table.RollingTableWriter;
import io.coppice.version.ConcatenatingCursor;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Environment that a store gives its merges. Safe to share between threads.
 *
 * @param workers let a step give way to other work
 * @param disk disk of the outputs
 * @param cleaner deletes obsolete inputs
 * @param limiter limits the bytes that merges write per second
 * @param reserve disk space that a merge may release when the disk is full
 * @param unflushedBytes supplies the bytes in memtables
 * @param tables open tables
 * @param snapshots open snapshots
 * @param hooks the application's hooks for entries
 * @param numbers supplies new file numbers, each once
 * @param tableBytes size of a full output, in bytes
 */
public record CompactionContext(
    Workers workers,
    Disk disk,
    ObsoleteTableCleaner cleaner,
    CompactionRateLimiter limiter,
    DiskSpaceReserve reserve,
    LongSupplier unflushedBytes,
    OpenTables tables,
    SnapshotList snapshots,
    EntryHooks hooks,
    LongSupplier numbers,
    long tableBytes) {

  /** Returns the sequence numbers of the open snapshots, ascending, each once. */
  public long[] openSnapshots() {
    return snapshots.sequences();
  }

  /** Returns a writer for the outputs of one merge of a family; the caller closes it. */
  public RollingTableWriter outputs(int family) {
    return new RollingTableWriter(disk, tables, numbers, tableBytes).forFamily(family);
  }

  /**
   * Returns the entry compactor of a merge.
   *
   * @param merged cursor over the given slices of the leased version, which the caller closes
   * @param open the sequence numbers of the open snapshots
   * @param older ranges that may hold older data
   * @param outputs receives the surviving entries
   */
  public EntryCompactor entryCompactor(
      EntryCursor merged,
      Version version,
      Set<Long> slices,
      long[] open,
      OlderDataRanges older,
      RollingTableWriter outputs) {
    EntryCompactor.Rules rules =
        new EntryCompactor.Rules(
            open, older, hooks.operator(), hooks.filter(), hooks.clock().millis());
    return new EntryCompactor(merged, rangeDeletions(version, slices), rules, outputs);
  }

  private RangeDeletions rangeDeletions(Version version, Set<Long> slices) {
    List<RangeDeletions> parts = new ArrayList<>();
    version.forEachSlice(
        slice -> {
          if (slices.contains(slice.id())) {
            parts.add(slice.rangeDeletions(tables));
          }
        });
    return RangeDeletions.union(parts);
  }

  /**
   * Returns cursors over the given slices of a leased version, those of newer runs first. The
   * caller closes them.
   */
  public List<EntryCursor> cursors(Version version, Set<Long> slices) {
    List<EntryCursor> cursors = new ArrayList<>();
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        List<List<Slice>> chosen = new ArrayList<>();
        for (Segment segment : run.segments()) {
          chosen.add(
              segment.slices().stream().filter(slice -> slices.contains(slice.id())).toList());
        }
        cursors.addAll(ConcatenatingCursor.of(tables, chosen));
      }
    }
    return cursors;
  }
}
