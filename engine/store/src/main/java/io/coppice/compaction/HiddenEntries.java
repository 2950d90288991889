// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.CorruptionException;
import io.coppice.entry.RangeDeletions;
import io.coppice.entry.RangeDeletions.Fragment;
import io.coppice.manifest.Level;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.Version;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.table.TableMeta;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Estimate of the older entries that the deletions of each table hide. A deletion of a key counts
 * as one entry. A deletion of a range counts the entries that older tables hold in it, estimated
 * from their indexes when the table is first seen. Nothing is stored, so tables of every format
 * have an estimate. Guarded by the compactor's lock.
 *
 * <p>A table with an entry that is newer than some open snapshot counts as hiding nothing, because
 * merges keep the data that the snapshot sees.
 */
final class HiddenEntries {

  private final OpenTables tables;

  /** Tables with deletions by run. */
  private Map<Run, List<TableMeta>> deleting = new IdentityHashMap<>();

  /** Entries in the deleted ranges of a table, by number. */
  private Map<Long, Long> covered = new HashMap<>();

  private Map<Long, Long> hidden = Map.of();
  private boolean held;

  HiddenEntries(OpenTables tables) {
    this.tables = tables;
  }

  /** Returns the estimate of each table at the last look; absent means 0. */
  Map<Long, Long> hidden() {
    return hidden;
  }

  /** Returns whether an open snapshot kept the estimate of some table at 0 at the last look. */
  boolean isHeld() {
    return held;
  }

  /**
   * Updates the estimates of hidden entries. It leaves out the ranges of an unreadable table,
   * because readers and merges report that.
   *
   * @param snapshots sequence numbers of the open snapshots, ascending
   */
  void look(Version version, long[] snapshots) {
    Map<Run, List<TableMeta>> present = new IdentityHashMap<>();
    Map<Long, Long> ranges = new HashMap<>();
    Map<Long, Long> all = new HashMap<>();
    held = false;
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        List<TableMeta> known = deleting.get(run);
        List<TableMeta> found = known == null ? deleting(run) : known;
        present.put(run, found);
        for (TableMeta table : found) {
          if (snapshots.length > 0 && snapshots[0] < table.maxSequence()) {
            held = true;
            continue;
          }
          long entries = table.tombstones() - table.rangeDeletions();
          if (table.rangeDeletions() > 0) {
            Long inRanges = covered.get(table.number());
            long count = inRanges == null ? covered(version, table.number()) : inRanges;
            ranges.put(table.number(), count);
            entries += count;
          }
          all.put(table.number(), entries);
        }
      }
    }
    deleting = present;
    covered = ranges;
    hidden = all.equals(hidden) ? hidden : Map.copyOf(all);
  }

  private static List<TableMeta> deleting(Run run) {
    List<TableMeta> found = new ArrayList<>();
    for (Segment segment : run.segments()) {
      for (Slice slice : segment.slices()) {
        if (slice.table().tombstones() > 0) {
          found.add(slice.table());
        }
      }
    }
    return found.isEmpty() ? List.of() : List.copyOf(found);
  }

  /** Returns the entries that slices older than a table hold in its deleted ranges. */
  private long covered(Version version, long number) {
    long entries = 0;
    RangeDeletions ranges;
    try {
      ranges = tables.get(number).rangeDeletions();
    } catch (CorruptionException | UncheckedIOException e) {
      return 0;
    }
    boolean reached = false;
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        for (Segment segment : run.segments()) {
          boolean below = reached;
          for (Slice slice : segment.slices()) {
            if (slice.table().number() == number) {
              reached = true;
              below = true;
            } else if (below) {
              entries += inside(ranges, slice);
            }
          }
        }
      }
    }
    return entries;
  }

  private long inside(RangeDeletions ranges, Slice slice) {
    TableMeta meta = slice.table();
    byte[] low = slice.low();
    byte[] high = slice.high();
    int first = ranges.ceiling(low, 0, low.length);
    double bytes = 0;
    int met = 0;
    for (int i = first; i < ranges.size(); i++) {
      Fragment fragment = ranges.fragment(i);
      if (Arrays.compareUnsigned(fragment.from(), high) > 0) {
        break;
      }
      bytes += bytesUpTo(slice, fragment.to()) - bytesUpTo(slice, fragment.from());
      met++;
    }
    long estimate = (long) (bytes / Math.max(1, meta.bytes()) * meta.entries());
    return Math.max(met, Math.min(meta.entries(), estimate));
  }

  /** Returns the bytes of a slice up to a key, by the table's index; a half if it is unreadable. */
  private long bytesUpTo(Slice slice, byte[] key) {
    try {
      Table table = tables.get(slice.table().number());
      long all = slice.table().bytes();
      long low = slice.lowExclusive() ? table.bytesUpTo(slice.low()) : 0;
      long high = slice.highCuts() ? table.bytesUpTo(slice.high()) : all;
      if (Arrays.compareUnsigned(key, slice.low()) <= 0) {
        return low;
      }
      return Arrays.compareUnsigned(key, slice.high()) > 0
          ? high
          : Math.min(high, Math.max(low, table.bytesUpTo(key)));
    } catch (CorruptionException | UncheckedIOException e) {
      return slice.table().bytes() / 2;
    }
  }
}
