// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.entry.LookupKey;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import java.util.Arrays;
import java.util.List;

/**
 * Slices of several runs whose ranges contain a key, newest first, with the results of their
 * filters. The filters are read together, so that their memory accesses overlap. Reused by one
 * thread without allocation. The caller leases the version during the search.
 */
final class FilterProbeBatch {

  /**
   * Maximum number of slices. A lookup that ends early has read up to seven filters in vain. The
   * processor overlaps about ten memory accesses, and each filter takes three.
   */
  static final int MAX = 8;

  /** Result of {@code add} if all slices of a segment were added. */
  static final int DONE = -1;

  /** Placeholder for a segment that has no slice whose range contains the key. */
  private static final int NO_SLICE = -1;

  private final int[] levels = new int[MAX];
  private final int[] runs = new int[MAX];
  private final Segment[] segments = new Segment[MAX];
  private final int[] slices = new int[MAX];

  /** Tables by probe; null for one that could not be opened. */
  private final Table[] tables = new Table[MAX];

  /**
   * Filter results by probe: 0 means that the table may contain the key; {@link Table#NOT_READ} if
   * the filter was not read.
   */
  private final int[] differences = new int[MAX];

  private int size;

  int size() {
    return size;
  }

  /**
   * Adds the slices of a segment whose ranges contain the key, as many as fit, newest first.
   *
   * @param run index of the run in its level
   * @param from index of the first slice to examine
   * @return the index of the slice to continue with after the added ones are searched, or {@link
   *     #DONE}
   */
  int add(int level, int run, Segment segment, int from, LookupKey key, OpenTables open) {
    List<Slice> all = segment.slices();
    int before = size;
    for (int i = from; i < all.size(); i++) {
      Slice slice = all.get(i);
      if (slice.contains(key)) {
        if (size == MAX) {
          return i;
        }
        add(level, run, segment, i, open.find(slice.table().number()));
      }
    }
    // A read of a virtual segment may have to request its merge, regardless of what it finds there.
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

  /** Reads the filters of all slices. */
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
   * Returns the table of an added slice unless its filter excludes the key.
   *
   * @param probe number of the slice in order of addition
   * @param hash hash of the key, as given to {@link #read}
   * @return null if the filter excludes the key, or the slice is a placeholder
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

  /** Removes all slices, for the next key or the next runs. */
  void clear() {
    Arrays.fill(segments, 0, size, null);
    Arrays.fill(tables, 0, size, null);
    size = 0;
  }
}
