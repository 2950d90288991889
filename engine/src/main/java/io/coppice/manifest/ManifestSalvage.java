// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.CorruptionException;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import java.io.IOException;

/** Reads what a damaged manifest still tells. */
public final class ManifestSalvage {

  private ManifestSalvage() {}

  /**
   * What is left of a damaged manifest.
   *
   * @param catalogue after the last sound edit; null if not even the snapshot is sound
   * @param end the offset at which that edit ends
   * @param damage what stands behind that; null if the manifest is sound
   */
  public record Remains(String file, Catalogue catalogue, long end, CorruptionException damage) {}

  /**
   * Reads the manifest with this number as far as it is sound, in force or not.
   *
   * @param durable bytes of it that are known to have been durable
   */
  public static Remains remains(Disk disk, long number, long durable) throws IOException {
    Replay replay = Replay.prefixOf(disk, number, durable);
    return new Remains(
        FileKind.MANIFEST.fileName(number), replay.catalogue(), replay.end(), replay.damage());
  }
}
