// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.io.ReadBatch;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.version.Level;
import io.coppice.version.ReadCompactionRequests;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import java.util.Arrays;
import java.util.List;

/**
 * Iterator over the tables that may hold a key according to range and filter, newest first. It
 * keeps each candidate with the block that may hold the key, in rounds that fit one batch. Reused
 * by one thread without allocation. The caller leases the version during the search.
 */
final class CandidateTables {

  /** Maximum number of candidates in a round. */
  static final int MAX = ReadBatch.MAX_READS;

  private final Table[] tables = new Table[MAX];
  private final int[] blocks = new int[MAX];
  private int size;

  /** Number of candidates in earlier rounds. */
  private int before;

  private LookupState state;
  private OpenTables open;
  private ReadCompactionRequests requests;
  private List<Level> levels;

  /**
   * Level of the next slice to examine. The scan is in a run of this level or before its first one.
   */
  private int level;

  private int run;
  private List<Slice> slices;
  private int slice;

  /** Number of candidates before the segment that {@link #group} reports. */
  private int groupAt;

  private long group;

  /**
   * Begins a search at a slice of a run, which searches older slices and runs afterwards.
   *
   * @param sought lookup state with the key
   * @param asked tells which segments need a merge
   * @param fromLevel level of the run
   * @param fromRun index of the run in its level
   * @param fromSlice index of the slice in its segment
   */
  void begin(
      LookupState sought,
      OpenTables from,
      ReadCompactionRequests asked,
      Version version,
      int fromLevel,
      int fromRun,
      int fromSlice) {
    state = sought;
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

  /** Selects the segment of the current run that may hold the key, if there is one. */
  private void enter() {
    List<Run> runs = levels.get(level).runs();
    if (run < runs.size()) {
      Segment segment = runs.get(run).find(state.key);
      if (segment != null) {
        slices = segment.slices();
        if (group == 0 && requests.wants(segment) && segment.spans(state.key)) {
          group = segment.group();
          groupAt = before + size;
        }
      }
    }
  }

  /**
   * Finds and keeps the next older candidate. The round must not be {@link #full}.
   *
   * @param lastLevel last level to search, inclusive
   * @return whether there is one
   * @throws io.coppice.base.CorruptionException if the next table is damaged; no candidate was
   *     kept, and a further call continues after it
   */
  boolean advance(int lastLevel) {
    assert size < MAX : "a round is full";
    while (true) {
      while (slices != null && slice < slices.size()) {
        Table table = slices.get(slice++).candidate(open, state.key);
        if (table != null) {
          keep(table, table.block(state.key));
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

  /** Keeps a placeholder, so that an unreadable candidate also has a number. */
  void keepNone() {
    keep(null, -1);
  }

  private void keep(Table table, int block) {
    tables[size] = table;
    blocks[size++] = block;
  }

  /** Returns whether a level is the last one of the version. */
  boolean inLastLevel(int which) {
    return which >= levels.size() - 1;
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

  /** Returns the index of the block of a candidate that may hold the key, or -1 if none can. */
  int block(int candidate) {
    return blocks[candidate];
  }

  /** Drops the candidates of the current round before the next one. */
  void nextRound() {
    before += size;
    forgetTables();
  }

  /**
   * Returns what {@link #group} would be if the search had ended at this candidate of the round.
   */
  long groupUpTo(int candidate) {
    return groupAt <= before + candidate ? group : 0;
  }

  /**
   * Returns the group of the first virtual segment that the search has reached and that has enough
   * parents to be merged on request, or 0 if there is none.
   */
  long group() {
    return group;
  }

  /** Drops all references after a search. */
  void end() {
    forgetTables();
    state = null;
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
