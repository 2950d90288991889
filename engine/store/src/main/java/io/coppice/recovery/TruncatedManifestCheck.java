// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.TornTail;
import io.coppice.manifest.ManifestReader;
import io.coppice.table.TableMeta;
import io.coppice.version.ManifestState;
import io.coppice.wal.WalReader;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Check for a manifest that has lost its last edits. Its content alone looks like that of a
 * manifest that a crash left. A file that an edit makes superfluous is removed, however, only after
 * the edit is durable. A truncated manifest therefore names files that are gone:
 *
 * <ol>
 *   <li>the log at the floor, which is removed after the edit that raises the floor;
 *   <li>tables, which are removed after the edit that drops their last slice.
 * </ol>
 *
 * <p>If all these files exist, the state before the missing edits holds every write that has a log
 * record. {@code CURRENT} records edits that make no file superfluous; readers of the manifest
 * check that.
 */
public final class TruncatedManifestCheck {

  private TruncatedManifestCheck() {}

  /**
   * Checks a store that is about to be opened, for reading or writing.
   *
   * @throws CorruptionException if the manifest was truncated, or a file that it names was removed
   * @throws IOException if the directory or a log cannot be read
   */
  public static void check(Disk disk, ManifestReader found) throws IOException {
    Set<String> names = new HashSet<>(disk.list());
    checkLogs(disk, found, names);
    for (TableMeta table : found.state().tables()) {
      String name = FileKind.TABLE.fileName(table.number());
      if (!names.contains(name)) {
        throw found.cutOff(missing(name, "which it names"));
      }
    }
  }

  /**
   * Checks for a truncated manifest by its logs alone, for a verification, which reports each
   * missing table itself.
   *
   * @throws CorruptionException if the manifest was truncated, or a log was removed
   */
  public static void checkLogs(Disk disk, ManifestReader found) throws IOException {
    checkLogs(disk, found, new HashSet<>(disk.list()));
  }

  private static void checkLogs(Disk disk, ManifestReader found, Set<String> names)
      throws IOException {
    if (isFloorMissing(names, found.state())) {
      String name = FileKind.WAL.fileName(found.state().marks().walFloor());
      throw found.cutOff(missing(name, "which holds what is not in its tables"));
    }
    ManifestState.Marks marks = found.state().marks();
    if (!marks.floorBegun()) {
      checkEmpty(disk, found, LoadedLogs.fromFloor(List.copyOf(names), marks.walFloor()));
    }
  }

  private static String missing(String name, String what) {
    return "its edits end here, but %s, %s, is missing: it was cut off, or that file was removed"
        .formatted(name, what);
  }

  /**
   * Returns whether the log at the log floor is missing, which has the oldest writes that are not
   * in tables.
   *
   * @param names all files of the disk
   */
  static boolean isFloorMissing(Set<String> names, ManifestState found) {
    ManifestState.Marks marks = found.marks();
    return marks.floorBegun() && !names.contains(FileKind.WAL.fileName(marks.walFloor()));
  }

  /**
   * Checks that logs are empty, because the manifest names no log that takes writes yet.
   *
   * @throws CorruptionException if a log has a record
   */
  private static void checkEmpty(Disk disk, ManifestReader found, List<Long> logs)
      throws IOException {
    for (long number : logs) {
      try (WalReader log = WalReader.open(disk, number, TornTail.DROP)) {
        if (log.next()) {
          throw found.cutOff(
              "its edits end here and tell of no log, but "
                  + FileKind.WAL.fileName(number)
                  + " holds writes: it was cut off");
        }
      }
    }
  }
}
