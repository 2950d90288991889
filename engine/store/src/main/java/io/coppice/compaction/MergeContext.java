// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.Workers;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntrySieve;
import io.coppice.entry.Extensions;
import io.coppice.entry.RangeDeletions;
import io.coppice.io.Disk;
import io.coppice.io.Reserve;
import io.coppice.manifest.ColumnCursor;
import io.coppice.manifest.Level;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.Snapshots;
import io.coppice.manifest.Version;
import io.coppice.table.OpenTables;
import io.coppice.table.TableSeries;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * What merges need from their store. Safe to share between threads.
 *
 * @param workers give way to others inside a step
 * @param cleaning removes inputs that were used up
 * @param rate limits what merges write
 * @param reserve given up when a merge finds the disk full
 * @param extensions what of the application decides about entries
 * @param numbers gives file numbers, each once
 * @param tableBytes the size at which outputs are cut
 */
public record MergeContext(
    Workers workers,
    Disk disk,
    Cleaning cleaning,
    MergeRate rate,
    Reserve reserve,
    OpenTables tables,
    Snapshots snapshots,
    Extensions extensions,
    LongSupplier numbers,
    long tableBytes) {

  /** The sequence numbers of the open snapshots, ascending. */
  long[] openSnapshots() {
    return snapshots.sequences();
  }

  TableSeries outputs(int family) {
    return new TableSeries(disk, tables, numbers, tableBytes).of(family);
  }

  /**
   * What remains of the given slices of a leased version, over which the cursor goes.
   *
   * @param open the sequence numbers of the open snapshots
   */
  EntrySieve sieve(
      EntryCursor merged,
      Version version,
      Set<Long> slices,
      long[] open,
      OlderKeys older,
      TableSeries outputs) {
    EntrySieve.Rules rules =
        new EntrySieve.Rules(
            open, older, extensions.operator(), extensions.filter(), extensions.clock().millis());
    return new EntrySieve(merged, rangeDeletions(version, slices), rules, outputs);
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

  /** Cursors over the given slices of a leased version. */
  List<EntryCursor> cursors(Version version, Set<Long> slices) {
    List<EntryCursor> cursors = new ArrayList<>();
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        List<List<Slice>> chosen = new ArrayList<>();
        for (Segment segment : run.segments()) {
          chosen.add(
              segment.slices().stream().filter(slice -> slices.contains(slice.id())).toList());
        }
        cursors.addAll(ColumnCursor.of(tables, chosen));
      }
    }
    return cursors;
  }
}
