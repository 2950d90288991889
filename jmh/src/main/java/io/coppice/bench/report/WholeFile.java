// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Atomic writer of files: readers find the complete new file or the complete old one. */
public final class WholeFile {

  private WholeFile() {}

  /**
   * Writes a file atomically, replacing any file with that name, and returns its path. Creates the
   * directory if it is missing. The file is not synced.
   *
   * @throws IOException if the file cannot be written; an earlier file stays
   */
  public static Path write(Path directory, String name, String text) throws IOException {
    Path draft = Files.createDirectories(directory).resolve(name + ".part");
    Files.writeString(draft, text);
    return Files.move(
        draft,
        directory.resolve(name),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }
}
