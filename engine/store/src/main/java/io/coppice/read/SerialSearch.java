// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.SearchScheme;
import io.coppice.manifest.Lease;
import io.coppice.table.Table;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.SliceIndex;
import io.coppice.version.Version;
import java.util.Arrays;
import java.util.List;

/**
 * Lookup that reads one block after another, newest table first, and stops at its first hit. Reused
 * by one thread without allocation.
 *
 * <pre>
 * candidates   by index: {@link SliceIndex} names the tables of the key's interval, or
 *              by run:   the segment of each run that can hold the key
 *      │
 *   filters    of up to eight candidates, read together so that their memory accesses overlap
 *      │
 *   index      of a table whose filter may contain the key: the number of one block
 *      │
 *   block      {@link Table#get}; if it is not in memory, an adaptive lookup continues from here
 *              with {@link ParallelSearch}
 * </pre>
 */
final class SerialSearch {

  // Outcomes of a search in some tables: older ones may have the key, the key was found, or no
  // table has it.
  private static final int CONTINUE = 0;
  private static final int FOUND = 1;
  private static final int NOT_FOUND = 2;

  private final LookupState state;

  /** Candidates of the search by run, with the results of their filters. */
  private final FilterProbeBatch probes = new FilterProbeBatch();

  /**
   * Filter results of the search by index, by candidate: 0 means that the table may contain the
   * key; {@link Table#NOT_READ} if the filter was not read.
   */
  private final int[] differences = new int[FilterProbeBatch.MAX];

  /** Ordinal of the version that was searched last. */
  private long ordinal = -1;

  /** Number of consecutive searches of the version {@link #ordinal}. */
  private int inARow;

  SerialSearch(LookupState state) {
    this.state = state;
  }

  /**
   * Finds the newest entry of the key of the lookup state in the tables of a version.
   *
   * @param lease held by the caller during the call
   * @param adaptive whether to continue in parallel at the first block that is not in memory
   * @return whether there is one; the lookup state then holds it, a deletion or an operand included
   * @throws io.coppice.base.CorruptionException if a table or block that it needs is damaged
   */
  boolean find(FamilyReader source, Lease lease, boolean adaptive) {
    SliceIndex index = index(source, lease);
    if (index != null) {
      return findByIndex(source, index, lease.version(), adaptive);
    }
    try {
      return findByRun(source, lease.version(), adaptive);
    } finally {
      probes.clear();
    }
  }

  /**
   * Returns the index of a version that is searched repeatedly; null while its cost is not worth
   * it.
   */
  private SliceIndex index(FamilyReader source, Lease lease) {
    SliceIndex index = lease.index();
    if (index == null && searchesOf(lease.ordinal()) % source.lookupsToIndex() == 0) {
      index = SliceIndex.of(lease.version(), source.tables());
      lease.index(index);
    }
    return index;
  }

  /** Returns the number of consecutive searches of a version, including this one. */
  private int searchesOf(long version) {
    if (version != ordinal) {
      ordinal = version;
      inARow = 0;
    }
    return ++inARow;
  }

  private boolean findByIndex(
      FamilyReader source, SliceIndex index, Version version, boolean adaptive) {
    int interval = index.interval(state.key);
    int end = index.end(interval);
    long hash = state.key.hash();
    for (int from = index.begin(interval); from < end; from += FilterProbeBatch.MAX) {
      int count = Math.min(end - from, FilterProbeBatch.MAX);
      for (int i = 0; i < count; i++) {
        differences[i] = index.table(from + i).readFilter(hash);
      }
      for (int i = 0; i < count; i++) {
        Table table = index.table(from + i);
        boolean excluded = differences[i] > 0;
        if ((!excluded && beginsAfterKey(table)) || !table.mayContain(hash, differences[i])) {
          continue;
        }
        int block = table.block(state.key);
        if (adaptive && block >= 0 && !table.likelyInMemory(block)) {
          return continueInParallel(source, version, index.level(from + i), index.run(from + i), 0);
        }
        if (state.searchBlock(table, block)) {
          state.foundInTable();
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Returns whether all keys of a table are above the searched key. The index names such a table if
   * its smallest key ends the interval of the searched key.
   */
  private boolean beginsAfterKey(Table table) {
    byte[] smallest = table.meta().smallestKey();
    int from = state.key.offset();
    int to = from + state.key.length();
    return Arrays.compareUnsigned(smallest, 0, smallest.length, state.key.bytes(), from, to) > 0;
  }

  private boolean findByRun(FamilyReader source, Version version, boolean adaptive) {
    List<Level> levels = version.levels();
    for (int i = 0; i < levels.size(); i++) {
      List<Run> runs = levels.get(i).runs();
      for (int j = 0; j < runs.size(); j++) {
        Segment segment = runs.get(j).find(state.key);
        int from = segment == null ? FilterProbeBatch.DONE : 0;
        while (from != FilterProbeBatch.DONE) {
          from = probes.add(i, j, segment, from, state.key, source.tables());
          if (from != FilterProbeBatch.DONE) {
            int outcome = searchProbes(source, version, adaptive);
            if (outcome != CONTINUE) {
              return outcome == FOUND;
            }
          }
        }
      }
    }
    return searchProbes(source, version, adaptive) == FOUND;
  }

  /**
   * Searches the collected candidates, newest first. Returns {@code FOUND} or {@code NOT_FOUND} if
   * the lookup ends; otherwise removes them and returns {@code CONTINUE}.
   */
  private int searchProbes(FamilyReader source, Version version, boolean adaptive) {
    long hash = state.key.hash();
    probes.read(hash);
    for (int i = 0; i < probes.size(); i++) {
      Segment segment = probes.segment(i);
      if (i == 0 || probes.segment(i - 1) != segment) {
        state.noteVirtualSegment(segment, source.requests());
      }
      Table table = probes.candidate(i, source.tables(), hash);
      if (table == null) {
        continue;
      }
      int block = table.block(state.key);
      if (adaptive && block >= 0 && !table.likelyInMemory(block)) {
        boolean found =
            continueInParallel(source, version, probes.level(i), probes.run(i), probes.slice(i));
        return found ? FOUND : NOT_FOUND;
      }
      if (state.searchBlock(table, block)) {
        state.foundInTable();
        return FOUND;
      }
    }
    probes.clear();
    return CONTINUE;
  }

  /**
   * Continues with several reads at once, from a slice whose block is not in memory. Returns
   * whether the key was found.
   */
  private boolean continueInParallel(
      FamilyReader source, Version version, int level, int run, int slice) {
    boolean found =
        state.parallel().find(source, version, SearchScheme.ADAPTIVE, level, run, slice);
    if (found) {
      state.foundInTable();
    }
    return found;
  }
}
