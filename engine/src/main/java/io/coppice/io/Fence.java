// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.LockedException;
import java.io.IOException;
import java.util.Arrays;

/**
 * Tells a store that its directory is another's. The lock should keep two stores apart, but a lock
 * is lost in silence when anything else in the process closes the file {@code LOCK}, and a
 * directory may be copied or exchanged under an open store.
 *
 * <p>Whoever opens a store puts a {@code CURRENT} of its own in force before it replays a log or
 * removes a file, with a number drawn at random in it. So {@code CURRENT} belongs to the last that
 * opened, and a store that finds another file there than it wrote has lost. What it made durable
 * and found itself still the owner afterwards, the other has read.
 *
 * <p>Safe to share between threads.
 */
final class Fence {

  private static final String CURRENT = FileKind.CURRENT.fileName(0);

  private final Disk disk;

  /** Guarded by this: null until {@code CURRENT} was read or written. */
  private Disk.Stamp expected;

  /** Guarded by this: what that file holds. */
  private byte[] content;

  Fence(Disk disk) {
    this.disk = disk;
  }

  /** From the first time that {@code CURRENT} is read on, nobody else may write it. */
  synchronized void reads(String name) throws IOException {
    if (name.equals(CURRENT) && expected == null) {
      expected = disk.stamp(CURRENT);
    }
  }

  /** Renames; the new {@code CURRENT} is this store's. */
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
   * Looks.
   *
   * @throws LockedException if the directory is another's
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

  /** Without the bytes a file that was only touched counts as exchanged. */
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
