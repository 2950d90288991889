// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import io.coppice.io.Disk;
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
 * Directory of a store that appears complete or not at all. Its files are written under a temporary
 * name next to it, and one rename at the end gives it its name. A crash leaves a directory whose
 * name begins with a dot and ends in {@code .draft}; it may be deleted. Used by one thread.
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
   * Begins a new directory. The caller closes the draft.
   *
   * @param target path of the directory: either unused or an empty directory, and not a link; its
   *     parent must exist
   * @param source disk of the store to copy, which must not contain the target
   * @throws FileAlreadyExistsException if the path is in use; nothing was changed
   * @throws NoSuchFileException if the parent is missing
   * @throws NotDirectoryException if the target is inside the store
   */
  public static DirectoryDraft begin(Path target, Disk source) throws IOException {
    Path absolute = target.toAbsolutePath().normalize();
    Path parent = absolute.getParent();
    if (parent == null) {
      throw new FileAlreadyExistsException(
          target.toString(), null, "it is the root directory; choose a new or empty one");
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
      throw new FileAlreadyExistsException(
          named.toString(),
          null,
          what + ", and the target must be missing or empty; choose another directory");
    }
  }

  /**
   * Returns the disk for the files of the draft, which {@link #publish} or {@link #close} closes.
   */
  public Disk disk() {
    return disk;
  }

  /**
   * Gives the directory its name, durably. All its files must be durable before, because a crash
   * afterwards leaves a store.
   *
   * @throws IOException if it fails; {@link #close} removes the draft, unless only the sync after
   *     the rename failed
   */
  public void publish() throws IOException {
    disk.syncDirectory();
    disk.close();
    Files.deleteIfExists(draft.resolve(DirectoryLock.FILE));
    PrivateFiles.syncDirectory(draft);
    // This replaces an empty directory, but fails for a file, a link or a directory in use.
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
