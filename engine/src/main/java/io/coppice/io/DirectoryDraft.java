// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/**
 * A directory of a store that comes into being whole: its files are written under another name
 * beside it, and one rename at the end gives it its own. What a crash leaves of a draft has a name
 * that begins with a dot and ends in {@code .draft}, and may be removed. Used by one thread.
 */
public final class DirectoryDraft implements Closeable {

  private final Path target;
  private final Path draft;
  private final RealDisk disk;
  private boolean published;

  private DirectoryDraft(Path target, Path draft, RealDisk disk) {
    this.target = target;
    this.draft = draft;
    this.disk = disk;
  }

  /**
   * Begins a directory.
   *
   * @param target its name, which must be free or that of an empty directory, and no link; the
   *     directory that is to hold it must exist
   * @param source the disk it is made from, inside which it may not lie
   * @throws FileAlreadyExistsException if there is something already
   */
  public static DirectoryDraft begin(Path target, Disk source) throws IOException {
    Path absolute = target.toAbsolutePath().normalize();
    Path parent = absolute.getParent();
    if (parent == null) {
      throw new FileAlreadyExistsException(target.toString(), null, "it is the root");
    }
    if (!Files.exists(parent)) {
      throw new NoSuchFileException(parent.toString());
    }
    Path home = parent.toRealPath();
    if (home.startsWith(source.describe())) {
      throw new NotDirectoryException(target + " lies inside the store " + source.describe());
    }
    Path name = absolute.getFileName();
    Path place = home.resolve(name);
    checkFree(place, target);
    Path draft = home.resolve("." + name + "." + UUID.randomUUID() + ".draft");
    PrivateFiles.createDirectory(draft);
    try {
      return new DirectoryDraft(place, draft, RealDisk.open(draft));
    } catch (IOException | RuntimeException | Error e) {
      remove(draft);
      throw e;
    }
  }

  private static void checkFree(Path place, Path named) throws IOException {
    if (!Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    String what = null;
    if (Files.isSymbolicLink(place)) {
      what = "it is a symbolic link";
    } else if (!Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)) {
      what = "it is a file";
    } else {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(place)) {
        what = files.iterator().hasNext() ? "it is a directory that is not empty" : null;
      }
    }
    if (what != null) {
      throw new FileAlreadyExistsException(named.toString(), null, what);
    }
  }

  /** Where its files are made; closed with the draft. */
  public Disk disk() {
    return disk;
  }

  /** Gives the directory its name, durably. All its files must be durable before. */
  public void publish() throws IOException {
    disk.syncDirectory();
    disk.close();
    Files.deleteIfExists(draft.resolve(DirectoryLock.FILE));
    PrivateFiles.syncDirectory(draft);
    // Another's empty directory goes, a file, a link or a directory in use does not.
    Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    published = true;
    PrivateFiles.syncDirectory(target.getParent());
  }

  /** Removes the draft unless it was published. */
  @Override
  public void close() throws IOException {
    disk.close();
    if (!published) {
      remove(draft);
    }
  }

  private static void remove(Path draft) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(draft)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(draft);
  }
}
