// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.TornTail;
import io.coppice.manifest.Catalogue;
import io.coppice.manifest.ManifestReader;
import io.coppice.table.TableMeta;
import io.coppice.wal.WalReader;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Tells a manifest that has lost its last edits from one that a crash left. Each by itself looks
 * like a log that ends there; but what an edit makes superfluous is removed only after the edit is
 * durable, so a manifest that was cut off names files that are gone:
 *
 * <ol>
 *   <li>the log of the floor, which goes after the edit that raises the floor;
 *   <li>tables, which go after the edit that drops their last slice.
 * </ol>
 *
 * <p>Where all these files are there, the state before the missing edits holds every write that has
 * a log record. Edits that make no file superfluous are witnessed by {@code CURRENT}; that is
 * looked at when a manifest is read.
 */
public final class CutManifest {

  private CutManifest() {}

  /**
   * Looks at a store that is about to be opened, for reading or writing.
   *
   * @throws CorruptionException if the manifest was cut off, or a file that it names was removed
   */
  public static void check(Disk disk, ManifestReader found) throws IOException {
    Set<String> names = new HashSet<>(disk.list());
    checkLogs(disk, found, names);
    for (TableMeta table : found.catalogue().tables()) {
      String name = FileKind.TABLE.fileName(table.number());
      if (!names.contains(name)) {
        throw found.cutOff(missing(name, "which it names"));
      }
    }
  }

  /** As {@link #check}, of the logs alone; a verification reports each missing table itself. */
  public static void checkLogs(Disk disk, ManifestReader found) throws IOException {
    checkLogs(disk, found, new HashSet<>(disk.list()));
  }

  private static void checkLogs(Disk disk, ManifestReader found, Set<String> names)
      throws IOException {
    if (isFloorMissing(names, found.catalogue())) {
      String name = FileKind.WAL.fileName(found.catalogue().marks().walFloor());
      throw found.cutOff(missing(name, "which holds what is not in its tables"));
    }
    Catalogue.Marks marks = found.catalogue().marks();
    if (!marks.floorBegun()) {
      checkEmpty(disk, found, LoadedLogs.living(List.copyOf(names), marks.walFloor()));
    }
  }

  private static String missing(String name, String what) {
    return "its edits end here, but "
        + name
        + ", "
        + what
        + ", is missing: it was cut off, or that file was removed";
  }

  /** True if the log that holds the oldest writes which are not in tables is gone. */
  static boolean isFloorMissing(Set<String> names, Catalogue found) {
    Catalogue.Marks marks = found.marks();
    return marks.floorBegun() && !names.contains(FileKind.WAL.fileName(marks.walFloor()));
  }

  /** A log takes no writes before the manifest tells that one was begun. */
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
