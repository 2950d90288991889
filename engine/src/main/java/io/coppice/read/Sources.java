// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.entry.EntryCursor;
import io.coppice.entry.RangeDeletions;
import io.coppice.manifest.ColumnCursor;
import io.coppice.manifest.Run;
import io.coppice.memtable.Memtable;
import io.coppice.table.BlocksAhead;
import io.coppice.table.OpenTables;
import java.util.ArrayList;
import java.util.List;

/**
 * The cursors over memtables and runs, which come newest first; each with range deletions applied.
 * Used once, by one thread. Holds nothing, so it is simply dropped where one cannot be made: the
 * caller holds memtables and version, and no cursor has read a block yet.
 */
final class Sources {

  private final OpenTables tables;
  private final long sequence;
  private final List<EntryCursor> cursors = new ArrayList<>();
  private final List<ColumnCursor> columns = new ArrayList<>();
  private final BlocksAhead ahead = new BlocksAhead();

  /** The range deletions met so far; replaced when it grows, as cursors keep it. */
  private List<RangeDeletions> newer = List.of();

  Sources(OpenTables tables, long sequence) {
    this.tables = tables;
    this.sequence = sequence;
  }

  void add(Memtable memtable) {
    add(memtable.heldCursor(), memtable.rangesSeenAt(sequence));
  }

  void add(Run run) {
    List<ColumnCursor> ofRun = ColumnCursor.of(tables, run, ahead);
    columns.addAll(ofRun);
    List<RangeDeletions> deletions = run.mayDeleteRanges() ? run.rangeDeletions(tables) : null;
    for (int i = 0; i < ofRun.size(); i++) {
      add(ofRun.get(i), deletions == null ? RangeDeletions.NONE : deletions.get(i));
    }
  }

  private void add(EntryCursor cursor, RangeDeletions own) {
    cursors.add(HidingCursor.of(cursor, newer, own, sequence));
    if (!own.isEmpty()) {
      List<RangeDeletions> longer = new ArrayList<>(newer);
      longer.add(own);
      newer = List.copyOf(longer);
    }
  }

  List<EntryCursor> cursors() {
    return cursors;
  }

  /** Those over runs. */
  List<ColumnCursor> columns() {
    return columns;
  }

  /** From which those over runs take blocks that are there. */
  BlocksAhead ahead() {
    return ahead;
  }
}
