// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.Bytes;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Which tables may hold a key, for all runs of a Version at once. The bounds of all slices cut the
 * keys into intervals, and of each interval the tables are known, newest first; so a lookup
 * searches once, not in each run. Made for a Version that is read much; immutable. Its tables are
 * open as long as that is leased.
 */
public final class SliceIndex {

  /** What it has at most, so that it stays small and is made soon. */
  static final int MAX_PROBES = 1 << 15;

  private final SortedKeys bounds;

  /** Of each interval, which ends with the bound of this place, the first probe; and their end. */
  private final int[] begins;

  private final Table[] tables;

  /** Of each probe, the place of its run among all. */
  private final int[] runs;

  /** Of each run, newest first: its level, and its place there. */
  private final int[] levels;

  private final int[] places;

  private SliceIndex(
      byte[][] bounds, int[] begins, Table[] tables, int[] runs, int[] levels, int[] places) {
    this.bounds = new SortedKeys(bounds);
    this.begins = begins;
    this.tables = tables;
    this.runs = runs;
    this.levels = levels;
    this.places = places;
  }

  /**
   * Makes the index of a Version that is leased.
   *
   * @return null if it would be large, a segment was regrouped, or a table could not be opened;
   *     lookups go from run to run then
   */
  public static SliceIndex of(Version version, OpenTables open) {
    return of(version, open::find);
  }

  static SliceIndex of(Version version, LongFunction<Table> open) {
    List<Run> all = new ArrayList<>();
    version.forEachRun(all::add);
    byte[][] bounds = bounds(all);
    if (bounds == null) {
      return null;
    }
    int[] begins = new int[bounds.length + 2];
    List<Table> tables = new ArrayList<>();
    List<Integer> runs = new ArrayList<>();
    for (int i = 0; i < bounds.length; i++) {
      for (int j = 0; j < all.size(); j++) {
        Segment segment = all.get(j).find(bounds[i], 0, bounds[i].length);
        if (segment != null && segment.slices().get(0).reachesTo(bounds[i])) {
          Table table = open.apply(segment.slices().get(0).table().number());
          if (table == null) {
            return null;
          }
          tables.add(table);
          runs.add(j);
        }
      }
      begins[i + 1] = tables.size();
    }
    begins[bounds.length + 1] = tables.size();
    int[] levels = new int[all.size()];
    int[] places = new int[all.size()];
    int run = 0;
    for (int level = 0; level < version.levels().size(); level++) {
      for (int place = 0; place < version.levels().get(level).runs().size(); place++) {
        levels[run] = level;
        places[run++] = place;
      }
    }
    return new SliceIndex(
        bounds,
        begins,
        tables.toArray(Table[]::new),
        runs.stream().mapToInt(Integer::intValue).toArray(),
        levels,
        places);
  }

  /** Where slices begin and end, each key once; null if there is to be no index. */
  private static byte[][] bounds(List<Run> runs) {
    int slices = runs.stream().mapToInt(run -> run.segments().size()).sum();
    if (2L * slices * runs.size() > MAX_PROBES) {
      return null;
    }
    byte[][] bounds = new byte[2 * slices][];
    int count = 0;
    for (Run run : runs) {
      for (Segment segment : run.segments()) {
        if (segment.virtual() || segment.slices().size() > 1) {
          return null;
        }
        bounds[count++] = segment.slices().get(0).low();
        bounds[count++] = segment.high();
      }
    }
    return Bytes.distinct(bounds);
  }

  /** The interval of a key, to be handed to {@link #begin} and {@link #end}. */
  public int interval(byte[] key, int offset, int length) {
    return bounds.ceiling(key, offset, length);
  }

  /** The first probe of an interval. */
  public int begin(int interval) {
    return begins[interval];
  }

  /**
   * Behind its last probe. The probes are tables that may hold keys of the interval, newest first;
   * one more may be among them, whose first key the interval ends with.
   */
  public int end(int interval) {
    return begins[interval + 1];
  }

  /** The table of a probe. */
  public Table table(int probe) {
    return tables[probe];
  }

  /** The level of its run. */
  public int level(int probe) {
    return levels[runs[probe]];
  }

  /** The place of its run in the level. */
  public int run(int probe) {
    return places[runs[probe]];
  }
}
