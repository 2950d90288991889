// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.CorruptionException;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.version.ManifestState;
import java.io.IOException;
import java.util.Set;

/** Reader of the sound part of a damaged manifest. */
public final class ManifestSalvage {

  private ManifestSalvage() {}

  /**
   * Sound part of a manifest.
   *
   * @param state the state after the last sound edit; null if the snapshot is damaged
   * @param end the offset where that edit ends
   * @param damage the damage after that offset; null if the manifest is sound
   * @param named numbers of all tables that the manifest names, including those that a later edit
   *     drops
   */
  public record Remains(
      String file, ManifestState state, long end, CorruptionException damage, Set<Long> named) {}

  /**
   * Reads the manifest with this number as far as it is sound, whether in force or not. Damage is
   * part of the result.
   *
   * @param durable bytes of it that are known to have been durable; 0 if unknown
   * @throws IOException if the file is missing or cannot be read
   * @throws io.coppice.base.VersionException if a newer version wrote it
   */
  public static Remains remains(Disk disk, long number, long durable) throws IOException {
    String name = FileKind.MANIFEST.fileName(number);
    ManifestReplay replay = new ManifestReplay(name);
    CorruptionException damage = null;
    try {
      replay.read(disk, number, 1);
      replay.checkDurable(durable, "");
    } catch (CorruptionException e) {
      damage = e;
    }
    replay.settle();
    return new Remains(name, replay.state(), replay.end(), damage, replay.named());
  }
}
