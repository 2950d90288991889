// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import java.util.Arrays;
import java.util.List;

/**
 * The slices that may hold a key by their ranges, of several runs, newest first, and what the
 * filters of their tables say. The filters are read together: memory that one has to be fetched
 * from then arrives with that of the others. Used again and again by one thread, without
 * allocation; the version is leased meanwhile.
 */
final class Probes {

  /**
   * A lookup that ends early has read the filters of so many in vain, less one; the processor
   * fetches some ten places of the memory at once, and each filter has three.
   */
  static final int MAX = 8;

  /** Says that all slices of a segment were added. */
  static final int DONE = -1;

  /** Stands for a segment no slice of which has the key in its range. */
  private static final int NO_SLICE = -1;

  private final int[] levels = new int[MAX];
  private final int[] runs = new int[MAX];
  private final Segment[] segments = new Segment[MAX];
  private final int[] slices = new int[MAX];

  /** Null where the table could not be opened. */
  private final Table[] tables = new Table[MAX];

  private final int[] differences = new int[MAX];
  private int size;

  int size() {
    return size;
  }

  /**
   * Adds the slices of a segment, as many as fit.
   *
   * @param from its first slice to be looked at
   * @return from where on to go on once these were asked; {@link #DONE} if there are no more
   */
  int add(int level, int run, Segment segment, int from, Search sought, OpenTables open) {
    List<Slice> all = segment.slices();
    int before = size;
    for (int i = from; i < all.size(); i++) {
      Slice slice = all.get(i);
      if (slice.contains(sought.key, sought.offset, sought.length)) {
        if (size == MAX) {
          return i;
        }
        add(level, run, segment, i, open.find(slice.table().number()));
      }
    }
    // A read that meets a regrouped segment may have to ask for it, whatever it finds there.
    if (from == 0 && size == before && segment.group() != 0) {
      if (size == MAX) {
        return 0;
      }
      add(level, run, segment, NO_SLICE, null);
    }
    return DONE;
  }

  private void add(int level, int run, Segment segment, int slice, Table table) {
    levels[size] = level;
    runs[size] = run;
    segments[size] = segment;
    slices[size] = slice;
    tables[size++] = table;
  }

  /** Reads the filters. */
  void read(long hash) {
    for (int i = 0; i < size; i++) {
      differences[i] = tables[i] == null ? Table.NOT_READ : tables[i].readFilter(hash);
    }
  }

  int level(int probe) {
    return levels[probe];
  }

  int run(int probe) {
    return runs[probe];
  }

  Segment segment(int probe) {
    return segments[probe];
  }

  int slice(int probe) {
    return slices[probe];
  }

  /**
   * The table, unless its filter rules the key out.
   *
   * @return null if it does, or if there is no slice
   * @throws io.coppice.base.CorruptionException if the table could not be opened
   */
  Table candidate(int probe, OpenTables open, long hash) {
    if (slices[probe] == NO_SLICE) {
      return null;
    }
    Table table = tables[probe];
    if (table == null) {
      table = open.get(segments[probe].slices().get(slices[probe]).table().number());
    }
    return table.mayContain(hash, differences[probe]) ? table : null;
  }

  /** Forgets all. */
  void clear() {
    Arrays.fill(segments, 0, size, null);
    Arrays.fill(tables, 0, size, null);
    size = 0;
  }
}
