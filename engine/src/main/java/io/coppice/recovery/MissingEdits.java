// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.manifest.Catalogue;
import io.coppice.table.TableMeta;
import io.coppice.table.TableSalvage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Tells by the tables of a store whether its manifest lacks edits, as {@link CutManifest} cannot.
 */
final class MissingEdits {

  private MissingEdits() {}

  /**
   * True if a table that nothing names holds what no log holds, or what a table held that is named
   * but missing: the manifest lacks edits. Where all that it names is there it lacks none that
   * counts, as its tables and the logs from its floor on hold every write that has a log record: a
   * table beside them is what a flush had made by the time of a crash.
   */
  static boolean tablesHoldMore(Disk disk, Catalogue catalogue) throws IOException {
    Set<String> names = new HashSet<>(disk.list());
    Set<String> named = new HashSet<>();
    Map<Integer, List<TableMeta>> missing = new HashMap<>();
    for (Catalogue.Family family : catalogue.families()) {
      for (TableMeta table : family.version().tables()) {
        String name = FileKind.TABLE.fileName(table.number());
        named.add(name);
        if (!names.contains(name)) {
          missing.computeIfAbsent(family.number(), x -> new ArrayList<>()).add(table);
        }
      }
    }
    if (catalogue.marks().floorBegun()
        && missing.isEmpty()
        && !CutManifest.isFloorMissing(names, catalogue)) {
      return false;
    }
    long last = catalogue.marks().lastSequence();
    long logged = LogSalvage.firstSequence(disk, catalogue);
    for (String name : names) {
      OptionalLong number = FileKind.TABLE.numberOf(name);
      if (number.isPresent() && !named.contains(name)) {
        try {
          TableMeta table = TableSalvage.facts(disk, number.getAsLong());
          boolean unlogged = table.maxSequence() > last && table.minSequence() < logged;
          List<TableMeta> own =
              missing.getOrDefault(TableSalvage.family(disk, table.number()), List.of());
          if (unlogged || own.stream().anyMatch(gone -> mayReplace(table, gone))) {
            return true;
          }
        } catch (CorruptionException e) {
          // Half a table: it was being written.
        }
      }
    }
    return false;
  }

  /**
   * Returns true if a merge of {@code gone} may have written the table; both are of one family. The
   * output of a merge takes its number after its inputs were installed.
   */
  private static boolean mayReplace(TableMeta table, TableMeta gone) {
    return table.number() > gone.number()
        && Repairer.sharesKeys(table, gone)
        && table.minSequence() <= gone.maxSequence()
        && gone.minSequence() <= table.maxSequence();
  }
}
