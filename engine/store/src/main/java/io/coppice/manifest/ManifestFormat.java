// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.io.FileKind;
import io.coppice.version.EditOp;
import io.coppice.version.ManifestState;
import io.coppice.version.VersionEdit;

/**
 * Formats of manifest files. Format 2 allows family names beyond those of format 1, which versions
 * that know only format 1 cannot show. A manifest has the lowest format that holds its families.
 * Older versions can therefore open every store without such a name.
 */
final class ManifestFormat {

  private static final int ANY_NAMES = 2;

  /** Maximum length of a family name in format 1, in characters; a longer name needs format 2. */
  private static final int MAX_PLAIN = 64;

  private ManifestFormat() {}

  /** Returns the lowest format that holds these families. */
  static int of(ManifestState state) {
    for (ManifestState.Family family : state.families()) {
      if (!isPlain(family.name())) {
        return ANY_NAMES;
      }
    }
    return FileKind.FIRST_FORMAT;
  }

  /** Returns the lowest format that holds this edit. */
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
