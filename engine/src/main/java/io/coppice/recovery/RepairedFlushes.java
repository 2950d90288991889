// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.Bytes;
import io.coppice.entry.EntryBatchReader;
import io.coppice.entry.Kind;
import io.coppice.io.Disk;
import io.coppice.io.TornTail;
import io.coppice.manifest.Catalogue;
import io.coppice.table.TableMeta;
import io.coppice.table.TableSalvage;
import io.coppice.wal.WalReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * Tells by what is left of a manifest, by logs and by tables which flushes were done. A log counts
 * as flushed only if that is proven: a flush makes one table after the other, so that one which
 * holds some of a log, and writes that no log holds, says nothing about the rest of the log.
 *
 * @param flushed numbers of the logs that are in tables
 * @param underWay tables that are not needed, as logs hold all of them that was logged
 * @param unsure numbers of logs that are not proven to be in tables although some of them may be
 */
record RepairedFlushes(Set<Long> flushed, Set<TableMeta> underWay, List<Long> unsure) {

  /** What a log does last to a key. */
  private record Change(long sequence, boolean deletes) {}

  /**
   * Looks at all sound logs.
   *
   * @param tables all that can be read
   * @param known what a manifest still tells
   */
  static RepairedFlushes of(Disk disk, List<TableMeta> tables, Catalogue known) throws IOException {
    List<LogSalvage.Span> logs = LogSalvage.spans(disk);
    Catalogue.Marks marks = known.marks();
    Set<Long> named = new HashSet<>();
    known.tables().forEach(table -> named.add(table.number()));
    // Then the later ones are there too: all that was logged and is not in tables that it names.
    boolean floorThere =
        marks.floorBegun() && logs.stream().anyMatch(log -> log.number() == marks.walFloor());
    RepairedFlushes found =
        new RepairedFlushes(new HashSet<>(), new LinkedHashSet<>(), new ArrayList<>());
    for (TableMeta table : tables) {
      boolean flushedLater = table.minSequence() > marks.lastSequence();
      if (floorThere && flushedLater && !named.contains(table.number())) {
        found.underWay.add(table);
      }
    }
    for (LogSalvage.Span log : logs) {
      List<TableMeta> sharing =
          tables.stream().filter(table -> !found.underWay.contains(table)).toList();
      List<TableMeta> parts =
          sharing.stream().filter(log::shares).filter(table -> !log.covers(table)).toList();
      boolean flushed = log.number() < marks.walFloor();
      if (!flushed && !floorThere) {
        flushed =
            sharing.stream()
                    .anyMatch(
                        table ->
                            table.maxSequence() >= log.first() && named.contains(table.number()))
                || parts.stream().anyMatch(table -> isMerged(table, log, marks))
                || (sharing.stream().anyMatch(log::shares)
                    && holdAll(disk, sharing, log.number(), known));
      }
      if (flushed) {
        found.flushed.add(log.number());
        continue;
      }
      sharing.stream()
          .filter(log::covers)
          .filter(table -> !named.contains(table.number()))
          .forEach(found.underWay::add);
      if (!parts.isEmpty()) {
        found.unsure.add(log.number());
      }
    }
    return found;
  }

  /** True if the table also holds what was in tables before the log was begun. */
  private static boolean isMerged(TableMeta table, LogSalvage.Span log, Catalogue.Marks marks) {
    return table.minSequence() <= marks.lastSequence() && marks.lastSequence() < log.first();
  }

  /**
   * True if the tables have, of every key that the log changes, that change or a later one; or
   * nothing, if the log deletes the key. Deletions of ranges are taken for missing.
   */
  private static boolean holdAll(Disk disk, List<TableMeta> tables, long number, Catalogue known)
      throws IOException {
    Map<Integer, NavigableMap<byte[], Change>> families = new HashMap<>();
    try (WalReader log = WalReader.open(disk, number, TornTail.DROP)) {
      while (log.next()) {
        long sequence = log.firstSequence();
        EntryBatchReader entry = log.entries();
        while (entry.next()) {
          if (known.family(entry.family()) != null
              || entry.family() >= known.marks().nextFamily()) {
            if (entry.kind() == Kind.DELETE_RANGE) {
              return false;
            }
            int from = entry.keyFrom();
            families
                .computeIfAbsent(entry.family(), x -> new TreeMap<>(Bytes.ORDER))
                .put(
                    Bytes.copy(entry.array(), from, entry.keyLength()),
                    new Change(sequence, entry.kind() == Kind.DELETE));
          }
          sequence++;
        }
      }
    }
    for (Map.Entry<Integer, NavigableMap<byte[], Change>> family : families.entrySet()) {
      List<TableMeta> own = new ArrayList<>();
      for (TableMeta table : tables) {
        if (TableSalvage.family(disk, table.number()) == family.getKey()) {
          own.add(table);
        }
      }
      NavigableMap<byte[], Change> changes = family.getValue();
      Map<byte[], Long> held = TableSalvage.newest(disk, own, changes.navigableKeySet());
      for (Map.Entry<byte[], Change> change : changes.entrySet()) {
        Long newest = held.get(change.getKey());
        boolean there =
            newest == null ? change.getValue().deletes() : newest >= change.getValue().sequence();
        if (!there) {
          return false;
        }
      }
    }
    return true;
  }
}
