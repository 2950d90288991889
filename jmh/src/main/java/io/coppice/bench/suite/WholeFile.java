// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files that are there whole or not at all. */
public final class WholeFile {

  private WholeFile() {}

  /** Writes one, also over one of this name, in a directory that need not be there yet. */
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
