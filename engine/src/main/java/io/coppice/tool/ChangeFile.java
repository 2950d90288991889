// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.tool.console.ChangeStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** The console's changes in a file of this user, in the directory that systems keep for such. */
final class ChangeFile implements ChangeStore {

  private final Path file;

  ChangeFile(Path file) {
    this.file = file;
  }

  /** Where changes of this user are kept. */
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
    // A line may end amid a letter, which readAllLines takes for the end of all.
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

  /** True if the last line was not written to its end, as the disk was full or power went. */
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
