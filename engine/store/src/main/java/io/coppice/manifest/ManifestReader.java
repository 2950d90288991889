// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.CorruptionException;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.version.ManifestState;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Set;

/**
 * Contents of a manifest, read without changing anything.
 *
 * @param file name of the manifest's file
 * @param state the state after its last whole edit
 * @param end the offset where that edit ends
 * @param droppedBytes bytes of a torn last edit, which was never acknowledged, or 0
 * @param named numbers of all tables that the manifest names, even if a later edit drops them
 */
public record ManifestReader(
    String file, ManifestState state, long end, long droppedBytes, Set<Long> named) {

  /** Returns the contents of the manifest in force. */
  static ManifestReader of(CurrentFile current, ManifestReplay replay) {
    return new ManifestReader(
        FileKind.MANIFEST.fileName(current.manifest()),
        replay.state(),
        replay.end(),
        replay.droppedBytes(),
        replay.named());
  }

  /**
   * Returns the error that this manifest was cut off at its end.
   *
   * @param sign a sentence that gives the evidence
   */
  public CorruptionException cutOff(String sign) {
    return new CorruptionException(file, end, sign + "; " + ManifestReplay.REPAIR);
  }

  /**
   * Reads the manifest in force. Changes nothing.
   *
   * @throws FileSystemException if the disk holds no store
   * @throws CorruptionException if it or {@code CURRENT} is damaged or missing, or it lacks edits
   *     that {@code CURRENT} records
   * @throws io.coppice.base.VersionException if a newer version wrote it
   */
  public static ManifestReader read(Disk disk) throws IOException {
    CurrentFile current;
    try {
      current = CurrentFile.read(disk);
    } catch (NoSuchFileException e) {
      refuseWithoutStore(disk);
      throw CurrentFile.missing(disk.list());
    }
    return of(current, ManifestReplay.of(disk, current));
  }

  /**
   * Checks that the disk holds a store, damaged or not.
   *
   * @throws FileSystemException if it holds none, or only the files of an interrupted creation
   */
  public static void refuseWithoutStore(Disk disk) throws IOException {
    List<String> names = disk.list();
    if (names.stream().noneMatch(FileKind::isData)) {
      throw new FileSystemException(
          disk.describe(), null, "it holds no store; name the directory of one");
    }
    if (!names.contains(CurrentFile.NAME) && CutCreation.isOf(disk, names)) {
      throw new FileSystemException(
          disk.describe(),
          null,
          "it holds no store yet, because the creation of one was cut off before any write; open it"
              + " for writing once to create the store");
    }
  }
}
