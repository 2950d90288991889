// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntrySieve;
import io.coppice.manifest.Snapshots;
import io.coppice.memtable.Memtable;
import io.coppice.table.TableSeries;
import java.io.IOException;

/**
 * Writes a sealed memtable as the tables of one run of level 0. Versions that no reader can see any
 * more are left out; deletions stay, since older tables may hold what they hide. When it is done
 * nothing is durable, and no version names the tables yet.
 */
final class FlushJob {

  private FlushJob() {}

  /**
   * Runs the flush.
   *
   * @param outputs receives the entries; its tables end where the memtable does
   */
  static void run(Memtable memtable, Snapshots snapshots, TableSeries outputs) throws IOException {
    long[] sequences = snapshots.sequences();
    try (EntryCursor entries = memtable.cursor()) {
      EntrySieve sieve =
          new EntrySieve(
              entries,
              memtable.neededRanges(sequences),
              EntrySieve.Rules.ofFlush(sequences),
              outputs);
      for (sieve.first(); sieve.hasMore(); ) {
        sieve.passKey();
        if (outputs.full() && sieve.mayCut()) {
          sieve.cut();
        }
      }
      sieve.cutLast();
    }
  }
}
