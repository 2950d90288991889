// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.entry.EntryBatchReader;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.TornTail;
import io.coppice.manifest.Version;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.Demand;
import io.coppice.memtable.Memtable;
import io.coppice.wal.WalReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * What the logs of a closed store hold beyond its tables, in memory, with nothing changed on disk.
 *
 * @param memtable all of it; its first reference belongs to the caller
 * @param lastSequence the last sequence number in use, in tables or logs
 * @param droppedBytes bytes of the newest log that were torn and left out
 */
public record LoadedLogs(Memtable memtable, long lastSequence, long droppedBytes) {

  /**
   * Replays the logs that are not in tables.
   *
   * @param pool where the memory comes from
   * @throws CorruptionException if a log is damaged other than at the end of the newest one
   * @throws IllegalArgumentException if the ledger has no room for them
   */
  public static LoadedLogs load(Disk disk, Version version, ChunkPool pool) throws IOException {
    Memtable memtable = Memtable.tryCreate(pool);
    if (memtable == null) {
      throw tooLittle("an empty memtable");
    }
    try {
      long last = version.marks().lastSequence();
      long dropped = 0;
      Demand demand = new Demand();
      List<Long> logs = living(disk.list(), version.marks().walFloor());
      for (int i = 0; i < logs.size(); i++) {
        TornTail tornTail = i == logs.size() - 1 ? TornTail.DROP : TornTail.REFUSE;
        try (WalReader groups = WalReader.open(disk, logs.get(i), tornTail)) {
          while (groups.next()) {
            last = Math.max(last, add(groups, memtable, demand) - 1);
          }
          dropped += groups.droppedBytes();
        }
      }
      return new LoadedLogs(memtable, last, dropped);
    } catch (IOException | RuntimeException | Error e) {
      memtable.release();
      throw e;
    }
  }

  /** The numbers of logs that hold what is not in tables, ascending. */
  static List<Long> living(List<String> names, long floor) {
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

  private static long add(WalReader group, Memtable memtable, Demand demand) {
    long sequence = group.firstSequence();
    EntryBatchReader entry = group.entries();
    while (entry.next()) {
      demand.clear();
      demand.add(entry.keyLength(), entry.valueLength());
      if (!memtable.ensure(demand)) {
        throw tooLittle(memtable.usedBytes() + " bytes of its logs and " + demand.bytes());
      }
      boolean added =
          memtable.add(
              sequence++,
              entry.kind(),
              entry.array(),
              entry.keyFrom(),
              entry.keyLength(),
              entry.array(),
              entry.valueFrom(),
              entry.valueLength());
      assert added : "the memory was ensured";
    }
    return sequence;
  }

  private static IllegalArgumentException tooLittle(String what) {
    return new IllegalArgumentException(
        "the memory budget has no room for "
            + what
            + "; a store that is opened for reading keeps its logs in memory: give it more, or open"
            + " it once by Store.open, which writes them to tables");
  }
}
