// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.io.FileKind;

/**
 * The formats of manifest files. Format 2 allows family names that format 1 does not: versions that
 * know format 1 alone cannot show them. A manifest has the lowest format that holds its families,
 * so those versions open every store without such a name.
 */
final class ManifestFormat {

  private static final int ANY_NAMES = 2;

  /** Longest name of a family in format 1. */
  private static final int MAX_PLAIN = 64;

  private ManifestFormat() {}

  /** The lowest format that holds these families. */
  static int of(Catalogue catalogue) {
    for (Catalogue.Family family : catalogue.families()) {
      if (!isPlain(family.name())) {
        return ANY_NAMES;
      }
    }
    return FileKind.FIRST_FORMAT;
  }

  /** The lowest format that holds this edit. */
  static int of(VersionEdit edit) {
    for (EditOp op : edit.ops()) {
      if (op instanceof EditOp.CreateFamily create && !isPlain(create.name())) {
        return ANY_NAMES;
      }
    }
    return FileKind.FIRST_FORMAT;
  }

  private static boolean isPlain(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_PLAIN
        && name.chars()
            .allMatch(
                at -> at >= 'a' && at <= 'z' || at >= '0' && at <= '9' || at == '_' || at == '-');
  }
}
