// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.bytes.Bytes;
import io.coppice.entry.EntryBatchReader;
import io.coppice.entry.EntryKind;
import io.coppice.io.Disk;
import io.coppice.io.TornTail;
import io.coppice.table.TableMeta;
import io.coppice.table.check.TableSalvage;
import io.coppice.version.ManifestState;
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
 * Logs whose flushes provably finished, according to the rest of a manifest, logs and tables. A log
 * counts as flushed only if that is proven. A flush writes one table after another, so a table with
 * some entries of a log and with unlogged writes proves nothing about the rest of the log.
 *
 * @param flushed numbers of the logs whose entries are all in tables
 * @param underWay superfluous tables: logs hold all their logged entries
 * @param unsure numbers of logs that are not proven to be in tables although some of their entries
 *     may be
 */
record ProvenFlushes(Set<Long> flushed, Set<TableMeta> underWay, List<Long> unsure) {

  /**
   * Last change of a key in a log.
   *
   * @param deletes whether it deletes the key
   */
  private record Change(long sequence, boolean deletes) {}

  /**
   * Examines all undamaged logs.
   *
   * @param tables all readable tables
   * @param known content of the manifest that is still readable
   * @throws IOException if a log or table cannot be read
   */
  static ProvenFlushes of(Disk disk, List<TableMeta> tables, ManifestState known)
      throws IOException {
    List<LogSalvage.Span> logs = LogSalvage.spans(disk);
    ManifestState.Marks marks = known.marks();
    Set<Long> named = new HashSet<>();
    known.tables().forEach(table -> named.add(table.number()));
    // Then the later logs exist too, and hold all logged entries that are not in named tables.
    boolean floorThere =
        marks.floorBegun() && logs.stream().anyMatch(log -> log.number() == marks.walFloor());
    ProvenFlushes found =
        new ProvenFlushes(new HashSet<>(), new LinkedHashSet<>(), new ArrayList<>());
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

  /** Returns whether a table also holds entries that were in tables before the log began. */
  private static boolean isMerged(TableMeta table, LogSalvage.Span log, ManifestState.Marks marks) {
    return table.minSequence() <= marks.lastSequence() && marks.lastSequence() < log.first();
  }

  /**
   * Returns whether tables hold, for every key that a log changes, that change or a later one. A
   * deleted key may also be absent. A log with range deletions counts as not held.
   */
  private static boolean holdAll(
      Disk disk, List<TableMeta> tables, long number, ManifestState known) throws IOException {
    Map<Integer, NavigableMap<byte[], Change>> families = new HashMap<>();
    try (WalReader log = WalReader.open(disk, number, TornTail.DROP)) {
      while (log.next()) {
        long sequence = log.firstSequence();
        EntryBatchReader entry = log.entries();
        while (entry.next()) {
          if (known.family(entry.family()) != null
              || entry.family() >= known.marks().nextFamily()) {
            if (entry.kind() == EntryKind.DELETE_RANGE) {
              return false;
            }
            int from = entry.keyFrom();
            families
                .computeIfAbsent(entry.family(), x -> new TreeMap<>(Bytes.ORDER))
                .put(
                    Bytes.copy(entry.array(), from, entry.keyLength()),
                    new Change(sequence, entry.kind() == EntryKind.DELETE));
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
