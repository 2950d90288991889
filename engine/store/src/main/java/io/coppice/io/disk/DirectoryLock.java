// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import io.coppice.base.LockedException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;

/**
 * Exclusive right to a directory: a lock on its file {@code LOCK} against other processes, and an
 * entry in a register against this one. The file's text names the holder for people, if there was
 * room for it.
 *
 * <p>A process has at most one channel to {@code LOCK}, because closing a second one would silently
 * drop the lock. No other code therefore opens or copies that file.
 */
final class DirectoryLock implements Closeable {

  static final String FILE = "LOCK";

  /** Prefix of the register's system properties, which all class loaders of a JVM share. */
  private static final String PROPERTY = "io.coppice.lock:";

  private static final int MAX_HOLDER_BYTES = 200;

  private final String property;
  private final String holder;
  private final long owner = UUID.randomUUID().getLeastSignificantBits();

  /** Channel of the locked file; null if there is none and it may not be created. */
  private final FileChannel channel;

  private DirectoryLock(String property, String holder, FileChannel channel) {
    this.property = property;
    this.holder = holder;
    this.channel = channel;
  }

  /**
   * Acquires the lock for writing; does not wait for it.
   *
   * @param directory its real path
   * @throws LockedException if another store of this or another process holds it
   */
  static DirectoryLock acquire(Path directory) throws IOException {
    return take(directory, false);
  }

  /**
   * Locks writers out at once without a write. If there is no file {@code LOCK}, this affects only
   * writers of this process.
   *
   * @param directory its real path
   * @throws LockedException if another store of this or another process holds the lock
   */
  static DirectoryLock acquireForReading(Path directory) throws IOException {
    return take(directory, true);
  }

  private static DirectoryLock take(Path directory, boolean reading) throws IOException {
    String property = PROPERTY + directory;
    String holder =
        "process "
            + ProcessHandle.current().pid()
            + (reading ? ", reading, since " : " since ")
            + Instant.now();
    Object other = System.getProperties().putIfAbsent(property, holder);
    if (other != null) {
      throw new LockedException(directory.toString(), "this process: " + other);
    }
    Path file = directory.resolve(FILE);
    FileChannel channel = null;
    boolean held = false;
    try {
      channel = reading ? PrivateFiles.openExistingLock(file) : PrivateFiles.openLock(file);
      if (channel != null && tryLock(channel, reading) == null) {
        throw new LockedException(directory.toString(), readHolder(channel));
      }
      if (!reading) {
        writeHolder(channel, holder);
      }
      held = true;
      return new DirectoryLock(property, holder, channel);
    } finally {
      if (!held) {
        new DirectoryLock(property, holder, channel).close();
      }
    }
  }

  /**
   * Writes the holder's name for people into the file, if possible. The lock is valid without it,
   * because a full disk has no room for it.
   */
  private static void writeHolder(FileChannel channel, String holder) throws IOException {
    try {
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(holder.getBytes(StandardCharsets.UTF_8)), 0);
    } catch (IOException e) {
      if (!channel.isOpen()) {
        throw e;
      }
    }
  }

  /** Returns the random number drawn when the lock was acquired. */
  long owner() {
    return owner;
  }

  private static FileLock tryLock(FileChannel channel, boolean shared) throws IOException {
    try {
      return channel.tryLock(0, Long.MAX_VALUE, shared);
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  /** Returns the text in the file, truncated and cleaned, because it may contain anything. */
  private static String readHolder(FileChannel channel) throws IOException {
    ByteBuffer text = ByteBuffer.allocate(MAX_HOLDER_BYTES);
    channel.read(text, 0);
    String holder =
        new String(text.array(), 0, text.position(), StandardCharsets.UTF_8)
            .replaceAll("[^ -~]", "?");
    return holder.isBlank() ? "an unknown process" : holder;
  }

  @Override
  public void close() throws IOException {
    try {
      if (channel != null) {
        channel.close();
      }
    } finally {
      System.getProperties().remove(property, holder);
    }
  }
}
