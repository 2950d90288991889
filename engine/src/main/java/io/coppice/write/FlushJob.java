// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.entry.EntryCursor;
import io.coppice.entry.Survivors;
import io.coppice.manifest.Snapshots;
import io.coppice.memtable.Memtable;
import io.coppice.table.TableMeta;
import io.coppice.table.TableSeries;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Writes a sealed memtable as the tables of one run of level 0. Versions that no reader can see any
 * more are left out; deletions stay, since older tables may hold what they hide. When it is done
 * the tables and their names are durable and no version names them yet.
 */
public final class FlushJob {

  private FlushJob() {}

  /**
   * Runs the flush.
   *
   * @param outputs receives the entries
   * @return the tables, by ascending key; empty if the memtable was
   */
  public static List<TableMeta> run(Memtable memtable, Snapshots snapshots, TableSeries outputs)
      throws IOException {
    Survivors survivors = new Survivors(snapshots.sequences());
    byte[] key = new byte[256];
    int keyLength = -1;
    try (EntryCursor entries = memtable.cursor()) {
      for (entries.first(); entries.valid(); entries.next()) {
        byte[] array = entries.keyArray();
        int from = entries.keyOffset();
        int length = entries.keyLength();
        boolean same =
            keyLength >= 0 && Arrays.equals(key, 0, keyLength, array, from, from + length);
        if (same) {
          if (survivors.older(entries.sequence())) {
            outputs.add(entries);
          }
          continue;
        }
        if (outputs.full()) {
          outputs.cut();
        }
        if (key.length < length) {
          key = new byte[length * 2];
        }
        System.arraycopy(array, from, key, 0, length);
        keyLength = length;
        survivors.newest(entries.sequence());
        outputs.add(entries);
      }
    }
    outputs.cut();
    return outputs.syncFinished();
  }
}
