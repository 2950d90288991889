// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import io.coppice.base.bytes.Bytes;
import io.coppice.entry.LookupKey;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Index of the tables that may hold a key, for all runs of a version at once. The bounds of all
 * slices divide the keys into intervals. Each interval lists its tables, newest first; an element
 * of a list is a probe. A lookup therefore searches once instead of in each run. The index is made
 * for a frequently read version and is immutable. Its tables are open while the version is leased.
 */
public final class SliceIndex {

  /**
   * Maximum number of probes, which bounds the memory of the index and the time to make it. {@link
   * #of} makes no index that could have more.
   */
  static final int MAX_PROBES = 1 << 15;

  private final SortedKeys bounds;

  /**
   * Index of the first probe of each interval. The interval ends with the bound at the same index.
   * One more element ends the last interval.
   */
  private final int[] begins;

  private final Table[] tables;

  /** Index of the run of each probe among all runs, newest first. */
  private final int[] runs;

  /** Level of each run, by the run's index; the next array has its index in that level. */
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
   * Makes the index of a leased version.
   *
   * @return null if the index would be too large, a segment is virtual, or a table is not open;
   *     lookups then search run by run
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

  /**
   * Returns the bounds of all slices, ascending, each key once; null if the index would be too
   * large or a segment is virtual.
   */
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

  /**
   * Returns the interval of a key, for {@link #begin} and {@link #end}; a key outside all bounds
   * has one without probes or with those of the first key.
   */
  public int interval(LookupKey key) {
    return bounds.ceiling(key.bytes(), key.offset(), key.length());
  }

  /** Returns the index of the first probe of an interval, its newest table. */
  public int begin(int interval) {
    return begins[interval];
  }

  /**
   * Returns the index after the last probe of an interval. A table whose first key ends the
   * interval also has a probe there.
   */
  public int end(int interval) {
    return begins[interval + 1];
  }

  /** Returns the table of a probe. */
  public Table table(int probe) {
    return tables[probe];
  }

  /** Returns the level of a probe's run. */
  public int level(int probe) {
    return levels[runs[probe]];
  }

  /** Returns the index of a probe's run in its level. */
  public int run(int probe) {
    return places[runs[probe]];
  }
}
