// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.LockedException;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import java.io.IOException;
import java.util.Arrays;

/**
 * Check that the directory still belongs to this store. The lock should keep two stores apart. It
 * is lost silently, however, when other code in the process closes the file {@code LOCK}. A
 * directory may also be copied or exchanged under an open store.
 *
 * <p>A store that opens a directory installs a {@code CURRENT} of its own, with a random number in
 * it, before it replays a log or removes a file. {@code CURRENT} therefore belongs to the last
 * store that opened the directory, and a store that finds another file there has lost the
 * directory. If it makes bytes durable and afterwards still owns the directory, the next store
 * reads them.
 *
 * <p>Safe to share between threads.
 */
final class OwnershipCheck {

  private static final String CURRENT = FileKind.CURRENT.fileName(0);

  private final Disk disk;

  /** Stamp of {@code CURRENT}; null until it was read or written. */
  @GuardedBy("this")
  private Disk.Stamp expected;

  /** Content of {@code CURRENT} at {@link #expected}. */
  @GuardedBy("this")
  private byte[] content;

  OwnershipCheck(Disk disk) {
    this.disk = disk;
  }

  /**
   * Records the stamp of {@code CURRENT} when it is first read; from then on no other store may
   * write it.
   */
  synchronized void reads(String name) throws IOException {
    if (name.equals(CURRENT) && expected == null) {
      expected = disk.stamp(CURRENT);
    }
  }

  /** Renames a file, and records the stamp if this makes a new {@code CURRENT}. */
  synchronized void rename(String from, String to) throws IOException {
    if (!to.equals(CURRENT)) {
      disk.rename(from, to);
      return;
    }
    Disk.Stamp stamp = disk.stamp(from);
    byte[] bytes = Disk.Stamp.UNKNOWN.equals(stamp) ? null : readIfPossible(from);
    disk.rename(from, to);
    expected = stamp;
    content = bytes;
  }

  /**
   * Checks that this store still owns the directory.
   *
   * @throws LockedException if the directory belongs to another store, or has no {@code CURRENT}
   */
  synchronized void check() throws IOException {
    if (expected == null) {
      return;
    }
    Disk.Stamp found = disk.stamp(CURRENT);
    if (expected.equals(found)) {
      return;
    }
    boolean touched =
        found != null
            && content != null
            && found.file().equals(expected.file())
            && Arrays.equals(content, read(CURRENT));
    if (!touched) {
      throw LockedException.lost(disk.describe());
    }
    expected = found;
  }

  /**
   * Returns the content of a file that is about to become {@code CURRENT}, or null if it cannot be
   * read. Without it, {@link #check} treats a {@code CURRENT} with new times but the same content
   * as exchanged.
   */
  private byte[] readIfPossible(String name) {
    try {
      return read(name);
    } catch (IOException e) {
      return null;
    }
  }

  private byte[] read(String name) throws IOException {
    try (Disk.InputFile file = disk.open(name)) {
      byte[] bytes = new byte[Math.toIntExact(file.length())];
      file.read(0, bytes, 0, bytes.length);
      return bytes;
    }
  }
}
