// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.CorruptionException;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/**
 * A manifest read without changing anything.
 *
 * @param file its name
 * @param catalogue the catalogue after its last whole edit
 * @param end the offset at which that edit ends
 * @param droppedBytes bytes of a torn last edit, which was never acknowledged
 */
public record ManifestReader(String file, Catalogue catalogue, long end, long droppedBytes) {

  /** Of the manifest in force. */
  static ManifestReader of(CurrentFile current, Replay replay) {
    return new ManifestReader(
        FileKind.MANIFEST.fileName(current.manifest()),
        replay.catalogue(),
        replay.end(),
        replay.droppedBytes());
  }

  /**
   * Damage of which this manifest's end is the sign: it was cut off there.
   *
   * @param sign a sentence that says why
   */
  public CorruptionException cutOff(String sign) {
    return new CorruptionException(file, end, sign + "; " + Replay.REPAIR);
  }

  /**
   * Reads the manifest in force.
   *
   * @throws FileSystemException if the disk holds no store
   * @throws CorruptionException if it or {@code CURRENT} is damaged or missing, or {@code CURRENT}
   *     tells of edits that it lacks
   * @throws io.coppice.base.VersionException if it was written by a newer version
   */
  public static ManifestReader read(Disk disk) throws IOException {
    CurrentFile current;
    try {
      current = CurrentFile.read(disk);
    } catch (NoSuchFileException e) {
      refuseWithoutStore(disk);
      throw CurrentFile.missing(disk.list());
    }
    return of(current, Replay.of(disk, current));
  }

  /**
   * Returns if the disk holds a store, damaged or not.
   *
   * @throws FileSystemException if it holds none, or only what a creation that was cut off leaves
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
