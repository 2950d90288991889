// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.table.TableMeta;
import io.coppice.table.check.TableSalvage;
import io.coppice.version.ManifestState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Check of a store's tables for edits that the manifest lacks, beyond the power of {@link
 * TruncatedManifestCheck}.
 */
final class MissingEditCheck {

  private MissingEditCheck() {}

  /**
   * Returns whether the manifest lacks edits. This holds if a table outside the manifest has
   * entries that no log holds, or entries of a named but missing table. If all named files exist,
   * no edit that counts is missing: the named tables and the logs from the floor on hold every
   * write with a log record. An additional table is then the incomplete flush of a crash.
   *
   * @param everNamed numbers of all tables that the manifest names, even if a later edit drops
   *     them; a table that it has dropped holds no more than the manifest knows
   * @throws IOException if a log or a table cannot be read
   */
  static boolean tablesHoldMore(Disk disk, ManifestState state, Set<Long> everNamed)
      throws IOException {
    Set<String> names = new HashSet<>(disk.list());
    Map<Integer, List<TableMeta>> missing = new HashMap<>();
    for (ManifestState.Family family : state.families()) {
      for (TableMeta table : family.version().tables()) {
        String name = FileKind.TABLE.fileName(table.number());
        if (!names.contains(name)) {
          missing.computeIfAbsent(family.number(), x -> new ArrayList<>()).add(table);
        }
      }
    }
    if (state.marks().floorBegun()
        && missing.isEmpty()
        && !TruncatedManifestCheck.isFloorMissing(names, state)) {
      return false;
    }
    long last = state.marks().lastSequence();
    long logged = LogSalvage.firstSequence(disk, state);
    for (String name : names) {
      OptionalLong number = FileKind.TABLE.numberOf(name);
      if (number.isPresent() && !everNamed.contains(number.getAsLong())) {
        try {
          TableMeta table = TableSalvage.facts(disk, number.getAsLong());
          boolean unlogged = table.maxSequence() > last && table.minSequence() < logged;
          List<TableMeta> own =
              missing.getOrDefault(TableSalvage.family(disk, table.number()), List.of());
          if (unlogged || own.stream().anyMatch(gone -> mayReplace(table, gone))) {
            return true;
          }
        } catch (CorruptionException e) {
          // An incomplete table: it was being written.
        }
      }
    }
    return false;
  }

  /**
   * Returns whether a table may be an output of a merge of {@code gone}, another table of its
   * family. A merge's output gets its number after the merge's inputs were installed.
   */
  private static boolean mayReplace(TableMeta table, TableMeta gone) {
    return table.number() > gone.number()
        && Repairer.sharesKeys(table, gone)
        && table.minSequence() <= gone.maxSequence()
        && gone.minSequence() <= table.maxSequence();
  }
}
