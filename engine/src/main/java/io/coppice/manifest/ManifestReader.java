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
   * What is left of a damaged manifest.
   *
   * @param catalogue after the last sound edit; null if not even the snapshot is sound
   * @param damage what stands behind that; null if the manifest is sound
   */
  public record Remains(String file, Catalogue catalogue, CorruptionException damage) {}

  /** Reads the manifest with this number as far as it is sound, in force or not. */
  public static Remains remains(Disk disk, long number) throws IOException {
    Replay replay = Replay.prefixOf(disk, number);
    return new Remains(FileKind.MANIFEST.fileName(number), replay.catalogue(), replay.damage());
  }

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
