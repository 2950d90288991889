// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write.family;

import io.coppice.entry.EntryCompactor;
import io.coppice.entry.EntryCursor;
import io.coppice.manifest.SnapshotList;
import io.coppice.memtable.Memtable;
import io.coppice.table.RollingTableWriter;
import java.io.IOException;

/**
 * Flush of one sealed memtable into the tables of one run of level 0. It omits versions that no
 * reader can see any longer. Tombstones stay, because older tables may hold entries that they hide.
 * The tables become durable and visible only by {@link FlushOutputs}.
 */
final class FlushJob {

  private FlushJob() {}

  /**
   * Writes the entries of a memtable.
   *
   * @param snapshots snapshots whose visible versions stay
   * @param outputs receives the entries; its last table ends where the memtable does
   * @throws IOException if a table cannot be written; the outputs are then incomplete
   */
  static void run(Memtable memtable, SnapshotList snapshots, RollingTableWriter outputs)
      throws IOException {
    long[] sequences = snapshots.sequences();
    try (EntryCursor entries = memtable.cursor()) {
      EntryCompactor compactor =
          new EntryCompactor(
              entries,
              memtable.neededRanges(sequences),
              EntryCompactor.Rules.ofFlush(sequences),
              outputs);
      for (compactor.first(); compactor.hasMore(); ) {
        compactor.writeKey();
        if (outputs.full() && compactor.mayCut()) {
          compactor.cut();
        }
      }
      compactor.cutLast();
    }
  }
}
