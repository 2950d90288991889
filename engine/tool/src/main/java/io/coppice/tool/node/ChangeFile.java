// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.node;

import io.coppice.tool.console.ChangeStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * A file with the console's changes, in this user's state directory. On POSIX file systems, only
 * this user can read it.
 */
final class ChangeFile implements ChangeStore {

  private final Path file;

  ChangeFile(Path file) {
    this.file = file;
  }

  /** Returns the file of this user, in {@code $XDG_STATE_HOME} or {@code ~/.local/state}. */
  static ChangeFile ofUser() {
    String state = System.getenv("XDG_STATE_HOME");
    Path base =
        state == null || state.isBlank()
            ? Path.of(System.getProperty("user.home"), ".local", "state")
            : Path.of(state);
    return new ChangeFile(base.resolve("coppice").resolve("console.jsonl"));
  }

  @Override
  public List<String> lines() throws IOException {
    // A line may end within a character, at which readAllLines would stop.
    return Files.exists(file)
        ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines().toList()
        : List.of();
  }

  @Override
  public void append(String line) throws IOException {
    Files.createDirectories(file.getParent());
    if (!Files.exists(file)) {
      Files.createFile(file);
      if (Files.getFileStore(file).supportsFileAttributeView("posix")) {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      }
    }
    Files.writeString(
        file,
        (isCutOff() ? "\n" : "") + line + "\n",
        StandardCharsets.UTF_8,
        StandardOpenOption.APPEND,
        StandardOpenOption.DSYNC);
  }

  /**
   * Returns whether the last line of the file is incomplete, because the disk was full or the power
   * failed.
   */
  private boolean isCutOff() throws IOException {
    try (RandomAccessFile written = new RandomAccessFile(file.toFile(), "r")) {
      if (written.length() == 0) {
        return false;
      }
      written.seek(written.length() - 1);
      return written.read() != '\n';
    }
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
