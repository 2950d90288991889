// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import java.io.IOException;
import java.util.List;

/**
 * Tells a store whose creation was cut off from a store that lost {@code CURRENT}. A creation
 * writes a manifest with the catalogue of an empty store, then {@code CURRENT}, and only then
 * anything else.
 */
final class CutCreation {

  private CutCreation() {}

  /**
   * Returns true if these are the files of a directory without a store, or of a creation that ended
   * before it wrote {@code CURRENT}. Opening for writing creates the store then.
   *
   * @param names all files of the disk, without {@code CURRENT}
   * @throws io.coppice.base.VersionException if a newer version wrote one of the manifests
   */
  static boolean isOf(Disk disk, List<String> names) throws IOException {
    for (String name : names) {
      if (FileKind.isData(name)) {
        long number = FileKind.MANIFEST.numberOf(name).orElse(-1);
        if (number < 0 || !isEmpty(ManifestSalvage.remains(disk, number, 0).catalogue())) {
          return false;
        }
      }
    }
    return true;
  }

  /** A null catalogue is a snapshot that a creation has not written whole. */
  private static boolean isEmpty(Catalogue found) {
    return found == null
        || found.families().equals(Catalogue.EMPTY.families())
            && found.marks().nextFamily() == Catalogue.EMPTY.marks().nextFamily()
            && found.marks().lastSequence() == 0;
  }
}
