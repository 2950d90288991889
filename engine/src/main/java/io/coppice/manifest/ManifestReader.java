// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.CorruptionException;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import java.io.IOException;
import java.nio.file.NoSuchFileException;

/**
 * A manifest read without changing anything.
 *
 * @param file its name
 * @param catalogue the catalogue after its last whole edit
 * @param droppedBytes bytes of a torn last edit, which was never acknowledged
 */
public record ManifestReader(String file, Catalogue catalogue, long droppedBytes) {

  /**
   * Reads the manifest in force.
   *
   * @throws CorruptionException if it or {@code CURRENT} is damaged or missing
   * @throws io.coppice.base.VersionException if it was written by a newer version
   */
  public static ManifestReader read(Disk disk) throws IOException {
    long number;
    try {
      number = CurrentFile.read(disk).manifest();
    } catch (NoSuchFileException e) {
      throw new CorruptionException(CurrentFile.NAME, 0, "the file is missing", e);
    }
    Replay replay = Replay.of(disk, number);
    return new ManifestReader(
        FileKind.MANIFEST.fileName(number), replay.catalogue(), replay.droppedBytes());
  }
}
