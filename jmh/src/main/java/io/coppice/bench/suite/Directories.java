// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** Removal of the files that a run leaves on disk. */
public final class Directories {

  private Directories() {}

  /**
   * Removes a directory with its contents, if it exists; a symbolic link is removed and not
   * followed. Other processes may delete files during the call, such as a process that is being
   * stopped.
   *
   * @throws IOException if an entry cannot be deleted; part of the contents may be gone then
   */
  public static void delete(Path directory) throws IOException {
    if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException failure)
              throws IOException {
            Files.deleteIfExists(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /**
   * Returns the files of a directory whose names match a glob, in no particular order.
   *
   * @throws UncheckedIOException if the directory is missing or unreadable
   */
  public static List<Path> files(Path directory, String glob) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, glob)) {
      files.forEach(found::add);
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + directory, e);
    }
  }

  /**
   * Returns the total bytes of the files of a directory whose names match a glob; a file that is
   * deleted during the call counts 0.
   *
   * @throws UncheckedIOException if the directory is missing or unreadable
   */
  public static long bytes(Path directory, String glob) {
    return files(directory, glob).stream().mapToLong(Directories::size).sum();
  }

  /**
   * Returns the bytes of a file, 0 if it is gone.
   *
   * @throws UncheckedIOException if its size cannot be read
   */
  public static long size(Path file) {
    try {
      return Files.size(file);
    } catch (NoSuchFileException gone) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot measure " + file, e);
    }
  }
}
