// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.version.ManifestState;
import java.io.IOException;
import java.util.List;

/**
 * Detector of an interrupted creation of a store, as opposed to a store that lost {@code CURRENT}.
 * A creation writes a manifest with the state of an empty store, then {@code CURRENT}, and only
 * then anything else.
 */
final class CutCreation {

  private CutCreation() {}

  /**
   * Returns whether these are the files of a directory without a store, or of a creation that ended
   * before it wrote {@code CURRENT}. Opening for writing then creates the store.
   *
   * @param names all files of the disk, without {@code CURRENT}
   * @throws io.coppice.base.VersionException if a newer version wrote one of the manifests
   * @throws IOException if a manifest cannot be read
   */
  static boolean isOf(Disk disk, List<String> names) throws IOException {
    for (String name : names) {
      if (FileKind.isData(name)) {
        long number = FileKind.MANIFEST.numberOf(name).orElse(-1);
        if (number < 0 || !isEmpty(ManifestSalvage.remains(disk, number, 0).state())) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Returns whether a manifest has the state of an empty store. A null state means an incomplete
   * snapshot.
   */
  private static boolean isEmpty(ManifestState found) {
    return found == null
        || found.families().equals(ManifestState.EMPTY.families())
            && found.marks().nextFamily() == ManifestState.EMPTY.marks().nextFamily()
            && found.marks().lastSequence() == 0;
  }
}
