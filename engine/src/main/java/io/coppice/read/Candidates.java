// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.io.ReadBatch;
import io.coppice.manifest.Level;
import io.coppice.manifest.ReadRequests;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.Version;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import java.util.Arrays;
import java.util.List;

/**
 * The tables that may hold a key by range and filter, newest first, found one by one. They are kept
 * with the block that may hold it, in rounds of as many as fit a batch. Used again and again by one
 * thread, without allocation; the version is leased meanwhile.
 */
final class Candidates {

  /** Of a round. */
  static final int MAX = ReadBatch.MAX_READS;

  private final Table[] tables = new Table[MAX];
  private final int[] blocks = new int[MAX];
  private int size;

  /** Candidates of earlier rounds. */
  private int before;

  private Search search;
  private OpenTables open;
  private ReadRequests requests;
  private List<Level> levels;

  /** Where the walk stands: the next slice, of the present run or of none of it yet. */
  private int level;

  private int run;
  private List<Slice> slices;
  private int slice;

  /** Candidates in front of the segment that {@link #group} is of. */
  private int groupAt;

  private long group;

  /**
   * Begins at a slice of a run.
   *
   * @param sought has the key
   * @param fromSlice the place of the slice in its segment
   */
  void begin(
      Search sought,
      OpenTables from,
      ReadRequests asked,
      Version version,
      int fromLevel,
      int fromRun,
      int fromSlice) {
    search = sought;
    open = from;
    requests = asked;
    levels = version.levels();
    level = fromLevel;
    run = fromRun;
    size = 0;
    before = 0;
    group = 0;
    groupAt = 0;
    slices = null;
    slice = fromSlice;
    enter();
  }

  /** Goes into the run on which the walk stands, if there is one with such a segment. */
  private void enter() {
    List<Run> runs = levels.get(level).runs();
    if (run < runs.size()) {
      Segment segment = runs.get(run).find(search.key, search.offset, search.length);
      if (segment != null) {
        slices = segment.slices();
        if (group == 0
            && requests.wants(segment)
            && segment.spans(search.key, search.offset, search.length)) {
          group = segment.group();
          groupAt = before + size;
        }
      }
    }
  }

  /**
   * Finds the next candidate and keeps it.
   *
   * @param lastLevel behind which it does not look
   * @return false if there is none
   * @throws io.coppice.base.CorruptionException if the next table is damaged; the walk is behind it
   */
  boolean advance(int lastLevel) {
    assert size < MAX : "a round is full";
    while (true) {
      while (slices != null && slice < slices.size()) {
        Table table =
            slices
                .get(slice++)
                .candidate(open, search.key, search.offset, search.length, search.hash);
        if (table != null) {
          keep(table, table.block(search.key, search.offset, search.length));
          return true;
        }
      }
      if (!nextRun(lastLevel)) {
        return false;
      }
    }
  }

  private boolean nextRun(int lastLevel) {
    slices = null;
    slice = 0;
    int last = Math.min(lastLevel, levels.size() - 1);
    run++;
    while (run >= levels.get(level).runs().size()) {
      if (level >= last) {
        run = levels.get(level).runs().size() - 1;
        return false;
      }
      level++;
      run = 0;
    }
    enter();
    return true;
  }

  /** Keeps a candidate that is not searched. */
  void keepNone() {
    keep(null, -1);
  }

  private void keep(Table table, int block) {
    tables[size] = table;
    blocks[size++] = block;
  }

  /** True if there is no level behind this one. */
  boolean inLastLevel(int which) {
    return which >= levels.size() - 1;
  }

  int level() {
    return level;
  }

  int size() {
    return size;
  }

  boolean full() {
    return size == MAX;
  }

  Table table(int candidate) {
    return tables[candidate];
  }

  /** The block that may hold the key; -1 if none can. */
  int block(int candidate) {
    return blocks[candidate];
  }

  /** Forgets the candidates of a round, for the next one. */
  void nextRound() {
    before += size;
    forgetTables();
  }

  /**
   * The group that is to be merged of the first such segment that a search meets which ends with a
   * candidate of this round; 0 if there is none.
   */
  long groupUpTo(int candidate) {
    return groupAt <= before + candidate ? group : 0;
  }

  /** The group of the first such segment at all. */
  long group() {
    return group;
  }

  /** Forgets all, so that nothing is kept from the collector. */
  void end() {
    forgetTables();
    search = null;
    open = null;
    requests = null;
    levels = null;
    slices = null;
  }

  private void forgetTables() {
    Arrays.fill(tables, 0, size, null);
    size = 0;
  }
}
