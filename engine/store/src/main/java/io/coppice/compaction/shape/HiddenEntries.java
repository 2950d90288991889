// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.shape;

import io.coppice.base.CorruptionException;
import io.coppice.entry.RangeDeletions;
import io.coppice.entry.RangeDeletions.Fragment;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.table.TableEstimates;
import io.coppice.table.TableMeta;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Estimate of the older entries that the deletions of each table hide. A deletion of a key counts
 * as one entry. A deletion of a range counts the entries that older tables hold in it, estimated
 * from their indexes when the table is first seen. Nothing is stored, so tables of every format
 * have an estimate. One call of {@link #update} opens only a few files, because its caller holds
 * the compactor's lock. The estimate of a table counts once all its older tables are measured.
 *
 * <p>A table with an entry that is newer than some open snapshot counts as hiding nothing, because
 * merges keep the data that the snapshot sees. Used by one thread at a time.
 */
public final class HiddenEntries {

  /** Largest number of tables whose files one {@link #update} opens. */
  static final int OPENS = 32;

  /** Pause in nanoseconds before the next update if files were left over. */
  private static final long REST_NANOS = 1_000_000;

  /** Time in nanoseconds before the next attempt after a failed read. */
  private static final long RETRY_NANOS = 60_000_000_000L;

  private final OpenTables tables;

  /** Tables that contain deletions, by run. */
  private Map<Run, List<TableMeta>> deleting = new IdentityHashMap<>();

  /** Entries in the deleted ranges of a table, by number. */
  private Map<Long, Long> covered = new HashMap<>();

  /**
   * Entries in the deleted ranges of tables not yet measured completely: by table, then by older
   * slice.
   */
  private Map<Long, Map<Long, Long>> partly = new HashMap<>();

  private Map<Long, Long> hidden = Map.of();

  /**
   * Smallest of the newest sequence numbers of the held tables, those whose estimate a snapshot
   * keeps at 0; {@link Long#MAX_VALUE} without any.
   */
  private long heldBy = Long.MAX_VALUE;

  private int opensLeft;
  private boolean more;

  /** Whether a read failed for another reason than damage, and may succeed later. */
  private boolean failed;

  public HiddenEntries(OpenTables tables) {
    this.tables = tables;
  }

  /**
   * Returns the hidden entries of each table, as estimated by the last {@link #update}, by table
   * number; absent means 0. The map does not change.
   */
  public Map<Long, Long> hidden() {
    return hidden;
  }

  /**
   * Returns whether an open snapshot kept the estimate of some table at 0 at the last {@link
   * #update}.
   */
  public boolean isHeld() {
    return heldBy < Long.MAX_VALUE;
  }

  /**
   * Returns whether some estimate that a snapshot kept at 0 rises under these open snapshots.
   *
   * @param snapshots their sequence numbers, ascending
   */
  public boolean releases(long[] snapshots) {
    return isHeld() && (snapshots.length == 0 || snapshots[0] >= heldBy);
  }

  /**
   * Returns the nanoseconds from the last {@link #update} until the next one is due; {@link
   * Long#MAX_VALUE} if all sound tables are measured. Time does not repair a damaged table, so the
   * update after the next change of the family tries it again.
   */
  public long restNanos() {
    return more ? REST_NANOS : failed ? RETRY_NANOS : Long.MAX_VALUE;
  }

  /**
   * Updates the estimates of hidden entries. One call opens only a few files; {@link #restNanos}
   * tells when the next call is due. The range deletions of a table count as 0 until that table and
   * all older tables that they overlap are measured. An unreadable table does not fail the call,
   * because readers and merges report it.
   *
   * @param version version that the caller leases
   * @param snapshots sequence numbers of the open snapshots, ascending
   */
  public void update(Version version, long[] snapshots) {
    Map<Run, List<TableMeta>> present = new IdentityHashMap<>();
    Map<Long, Long> ranges = new HashMap<>();
    Map<Long, Long> all = new HashMap<>();
    Map<Long, Map<Long, Long>> begun = new HashMap<>();
    heldBy = Long.MAX_VALUE;
    opensLeft = OPENS;
    more = false;
    failed = false;
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        List<TableMeta> known = deleting.get(run);
        List<TableMeta> found = known == null ? deleting(run) : known;
        present.put(run, found);
        for (TableMeta table : found) {
          if (snapshots.length > 0 && snapshots[0] < table.maxSequence()) {
            heldBy = Math.min(heldBy, table.maxSequence());
            continue;
          }
          long entries = table.tombstones() - table.rangeDeletions();
          if (table.rangeDeletions() > 0) {
            Long inRanges = covered.get(table.number());
            if (inRanges == null) {
              Map<Long, Long> measured = partly.getOrDefault(table.number(), new HashMap<>());
              inRanges = covered(version, table.number(), measured);
              if (inRanges == null) {
                begun.put(table.number(), measured);
              }
            }
            if (inRanges != null) {
              ranges.put(table.number(), inRanges);
              entries += inRanges;
            }
          }
          all.put(table.number(), entries);
        }
      }
    }
    deleting = present;
    covered = ranges;
    partly = begun;
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

  /**
   * Counts a file that is about to be opened. Returns whether the current {@link #update} may open
   * it; true without a count if it is open.
   */
  private boolean mayOpen(long number) {
    Table table = tables.find(number);
    if (table == null || table.hasIndex()) {
      return true;
    }
    more |= opensLeft == 0;
    return opensLeft-- > 0;
  }

  /**
   * Returns the entries that slices older than a table hold in its deleted ranges; null if the
   * current {@link #update} cannot measure all of them.
   *
   * @param measured entries by slice, of the slices already measured; gets those measured now
   */
  private @Nullable Long covered(Version version, long number, Map<Long, Long> measured) {
    if (!mayOpen(number)) {
      return null;
    }
    long entries = 0;
    RangeDeletions ranges;
    try {
      ranges = tables.get(number).rangeDeletions();
    } catch (CorruptionException e) {
      return null;
    } catch (UncheckedIOException e) {
      failed = true;
      return null;
    }
    boolean complete = true;
    boolean reached = false;
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        for (Segment segment : run.segments()) {
          boolean below = reached;
          for (Slice slice : segment.slices()) {
            if (slice.table().number() == number) {
              reached = true;
              below = true;
            } else if (below && meets(ranges, slice)) {
              Long known = measured.get(slice.id());
              if (known == null && mayOpen(slice.table().number())) {
                known = inside(ranges, slice);
              }
              if (known != null) {
                measured.put(slice.id(), known);
              }
              complete &= known != null;
              entries += known == null ? 0 : known;
            }
          }
        }
      }
    }
    return complete ? entries : null;
  }

  private static boolean meets(RangeDeletions ranges, Slice slice) {
    int first = ranges.ceiling(slice.low(), 0, slice.low().length);
    return first < ranges.size()
        && Arrays.compareUnsigned(ranges.fragment(first).from(), slice.high()) <= 0;
  }

  /**
   * Returns the entries of a slice in deleted ranges, estimated by its table's index; null if the
   * index is unreadable.
   */
  private @Nullable Long inside(RangeDeletions ranges, Slice slice) {
    TableMeta meta = slice.table();
    byte[] low = slice.low();
    byte[] high = slice.high();
    int first = ranges.ceiling(low, 0, low.length);
    double bytes = 0;
    int met = 0;
    try {
      Table table = tables.get(meta.number());
      for (int i = first; i < ranges.size(); i++) {
        Fragment fragment = ranges.fragment(i);
        if (Arrays.compareUnsigned(fragment.from(), high) > 0) {
          break;
        }
        bytes += bytesUpTo(table, slice, fragment.to());
        bytes -= bytesUpTo(table, slice, fragment.from());
        met++;
      }
    } catch (CorruptionException e) {
      return null;
    } catch (UncheckedIOException e) {
      failed = true;
      return null;
    }
    long estimate = (long) (bytes / Math.max(1, meta.bytes()) * meta.entries());
    return Math.max(met, Math.min(meta.entries(), estimate));
  }

  /**
   * Returns the bytes of a slice's table up to a key, clipped to the slice and estimated by the
   * table's index.
   */
  private static long bytesUpTo(Table table, Slice slice, byte[] key) {
    long all = slice.table().bytes();
    long low = slice.lowExclusive() ? TableEstimates.bytesUpTo(table, slice.low()) : 0;
    long high = slice.highCuts() ? TableEstimates.bytesUpTo(table, slice.high()) : all;
    if (Arrays.compareUnsigned(key, slice.low()) <= 0) {
      return low;
    }
    return Arrays.compareUnsigned(key, slice.high()) > 0
        ? high
        : Math.min(high, Math.max(low, TableEstimates.bytesUpTo(table, key)));
  }
}
