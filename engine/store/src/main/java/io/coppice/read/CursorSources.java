// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.entry.EntryCursor;
import io.coppice.entry.RangeDeletions;
import io.coppice.memtable.Memtable;
import io.coppice.table.BlockPrefetch;
import io.coppice.table.OpenTables;
import io.coppice.version.ConcatenatingCursor;
import io.coppice.version.Run;
import java.util.ArrayList;
import java.util.List;

/**
 * Cursors over memtables and runs, added newest first, with the range deletions of newer sources
 * applied to each. Used once, by one thread. After a failure the cursors made before may be dropped
 * without a close, because the caller holds memtables and version.
 */
final class CursorSources {

  private final OpenTables tables;
  private final long sequence;
  private final List<EntryCursor> cursors = new ArrayList<>();
  private final List<ConcatenatingCursor> columns = new ArrayList<>();
  private final BlockPrefetch ahead = new BlockPrefetch();

  /**
   * Range deletions of the sources added before, newest first. The list is replaced when it grows,
   * because cursors keep it.
   */
  private List<RangeDeletions> newer = List.of();

  CursorSources(OpenTables tables, long sequence) {
    this.tables = tables;
    this.sequence = sequence;
  }

  /** Adds the next older memtable, which the caller holds while it uses the cursors. */
  void add(Memtable memtable) {
    add(memtable.heldCursor(), memtable.rangesSeenAt(sequence));
  }

  /**
   * Adds the next older run, whose version the caller leases while it uses the cursors.
   *
   * @throws io.coppice.base.CorruptionException if a table with range deletions is damaged
   */
  void add(Run run) {
    List<ConcatenatingCursor> ofRun = ConcatenatingCursor.of(tables, run, ahead);
    columns.addAll(ofRun);
    List<RangeDeletions> deletions = run.mayDeleteRanges() ? run.rangeDeletions(tables) : null;
    for (int i = 0; i < ofRun.size(); i++) {
      add(ofRun.get(i), deletions == null ? RangeDeletions.NONE : deletions.get(i));
    }
  }

  private void add(EntryCursor cursor, RangeDeletions own) {
    cursors.add(RangeDeletionCursor.of(cursor, newer, own, sequence));
    if (!own.isEmpty()) {
      List<RangeDeletions> longer = new ArrayList<>(newer);
      longer.add(own);
      newer = List.copyOf(longer);
    }
  }

  /** Returns the cursors over all sources, newest first; the list is live. */
  List<EntryCursor> cursors() {
    return cursors;
  }

  /**
   * Returns the cursors over runs, newest first, which read through {@link #ahead}; the list is
   * live.
   */
  List<ConcatenatingCursor> columns() {
    return columns;
  }

  /** Returns the prefetch that supplies the cursors over runs with blocks. */
  BlockPrefetch ahead() {
    return ahead;
  }
}
