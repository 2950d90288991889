// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.entry.EntryBatchReader;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.TornTail;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.Memtable;
import io.coppice.version.ManifestState;
import io.coppice.wal.WalReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Content of the logs of a closed store that is not in its tables, held in memory. The disk stays
 * unchanged.
 *
 * @param memtables the entries by the number of a living family; families without entries are
 *     absent. The caller owns the first reference of each memtable
 * @param lastSequence the last sequence number in use, in tables or logs
 */
public record LoadedLogs(Map<Integer, Memtable> memtables, long lastSequence) {

  /**
   * Replays the logs from the log floor on.
   *
   * @param pool pool of the memtables' memory
   * @throws CorruptionException if a log is damaged other than at the end of the newest one
   * @throws IllegalArgumentException if the memory budget has no room for the entries
   * @throws IOException if a log cannot be read. After each exception no memory is held
   */
  public static LoadedLogs load(Disk disk, ManifestState state, ChunkPool pool) throws IOException {
    FamilyLoaders loaders = new FamilyLoaders(state, pool);
    try {
      long last = state.marks().lastSequence();
      List<Long> logs = fromFloor(disk, state);
      for (int i = 0; i < logs.size(); i++) {
        TornTail tornTail = i == logs.size() - 1 ? TornTail.DROP : TornTail.REFUSE;
        try (WalReader groups = WalReader.open(disk, logs.get(i), tornTail)) {
          while (groups.next()) {
            last = Math.max(last, add(groups, loaders) - 1);
          }
        }
      }
      return new LoadedLogs(loaders.take(), last);
    } catch (IOException | RuntimeException | Error e) {
      loaders.release();
      throw e;
    }
  }

  /** Returns the number of entries in all memtables. */
  public long entries() {
    long entries = 0;
    for (Memtable memtable : memtables.values()) {
      entries += memtable.entries();
    }
    return entries;
  }

  /**
   * Returns the numbers of the logs from the log floor on, ascending. Only these may have entries
   * that no table holds.
   */
  public static List<Long> fromFloor(Disk disk, ManifestState state) throws IOException {
    return fromFloor(disk.list(), state.marks().walFloor());
  }

  static List<Long> fromFloor(List<String> names, long floor) {
    List<Long> logs = new ArrayList<>();
    for (String name : names) {
      OptionalLong number = FileKind.WAL.numberOf(name);
      if (number.isPresent() && number.getAsLong() >= floor) {
        logs.add(number.getAsLong());
      }
    }
    logs.sort(null);
    return logs;
  }

  /** Adds the entries of a group. Returns the sequence number after its last one. */
  private static long add(WalReader group, FamilyLoaders loaders) {
    long sequence = group.firstSequence();
    EntryBatchReader entry = group.entries();
    while (entry.next()) {
      if (loaders.wants(group) && !loaders.add(sequence, entry)) {
        throw new IllegalArgumentException(
            "the memory budget has no room for "
                + loaders.usedBytes()
                + " bytes of its logs and "
                + loaders.bytesOf(entry)
                + "; a store that is opened for reading keeps its logs in memory: give it more, or"
                + " open it once by Store.open, which writes them to tables");
      }
      sequence++;
    }
    return sequence;
  }
}
