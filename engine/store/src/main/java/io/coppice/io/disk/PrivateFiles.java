// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Files and directories that, on POSIX file systems, only their owner can access from their
 * creation on.
 */
final class PrivateFiles {

  private static final FileAttribute<?>[] NONE = {};

  private PrivateFiles() {}

  /**
   * Creates an empty file, mode 0600.
   *
   * @throws FileAlreadyExistsException if the name is in use, even as a link
   */
  static void create(Path path) throws IOException {
    FileChannel.open(
            path,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            permissions(path, "rw-------"))
        .close();
  }

  /** Opens or creates the file of a lock, mode 0600. */
  static FileChannel openLock(Path path) throws IOException {
    return FileChannel.open(
        path,
        Set.of(
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS),
        permissions(path, "rw-------"));
  }

  /** Opens the file of a lock for reading; returns null if there is none. */
  static FileChannel openExistingLock(Path path) throws IOException {
    try {
      return FileChannel.open(path, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /**
   * Creates a directory, mode 0700, and its parents, in the default mode, unless it exists. The
   * directory's name is durable afterwards.
   */
  static void createDirectory(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      return;
    }
    Path parent = path.toAbsolutePath().getParent();
    Files.createDirectories(parent);
    try {
      Files.createDirectory(path, permissions(path, "rwx------"));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(path)) {
        throw e;
      }
    }
    syncDirectory(parent);
  }

  /** Makes the names in a directory durable, if the system supports it. */
  static void syncDirectory(Path directory) throws IOException {
    try (SyncedDirectory names = SyncedDirectory.open(directory)) {
      names.sync();
    }
  }

  private static FileAttribute<?>[] permissions(Path path, String mode) {
    return isPosix(path)
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))
        }
        : NONE;
  }

  static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
