// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import io.coppice.io.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Unchanging file of the file system, as block readers see it. It is closed once {@link #close} was
 * called and the last reader has left. Safe to share between threads.
 */
public abstract sealed class RealFile implements Disk.InputFile permits MappedFile, PositionalFile {

  private final Path path;
  private final String name;
  private final Object fileKey;
  private final long length;
  private final AccessCounter accesses = new AccessCounter();
  private final Attachments attachments = new Attachments();

  RealFile(Path path, Object fileKey, long length) {
    this.path = path;
    this.name = path.getFileName().toString();
    this.fileKey = fileKey;
    this.length = length;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final long length() {
    return length;
  }

  /** Returns the file's path at the time of its opening. */
  public final Path path() {
    return path;
  }

  /**
   * Returns a key that differs from that of any later file with its name; null if the system has
   * none.
   */
  public final Object fileKey() {
    return fileKey;
  }

  /** Returns the file's page residency; null if it is not tracked. */
  public abstract PageResidency residency();

  /** Returns the resources that readers have attached. */
  public final Attachments attachments() {
    return attachments;
  }

  /** Keeps the file open until {@link #leave}. Returns false if it is closed. Never blocks. */
  public final boolean enter() {
    return accesses.enter();
  }

  /**
   * Ends the use of the file; the last user after closing frees its resources.
   *
   * @throws IOException if freeing fails; the use has ended
   */
  public final void leave() throws IOException {
    if (accesses.leave()) {
      free();
    }
  }

  /** Ends the use of the file like {@link #leave}, and only logs a failure to close it. */
  public final void leaveQuietly() {
    try {
      leave();
    } catch (IOException e) {
      System.getLogger("io.coppice.Store")
          .log(System.Logger.Level.WARNING, name + " could not be closed", e);
    }
  }

  @Override
  public final void close() throws IOException {
    if (accesses.close()) {
      free();
    }
  }

  /** Frees the resources of the closed file, including what is attached. Called once. */
  abstract void free() throws IOException;

  /**
   * Reads through the page cache until the buffer is full, for a caller that keeps the file open.
   * It never loads pages through a mapping.
   *
   * @throws java.io.EOFException if the file ends before the buffer is full
   */
  public abstract void readHeld(long position, ByteBuffer target) throws IOException;

  /**
   * Fills a buffer as {@link #readHeld} does and records what the read says about the page cache.
   *
   * @param believed whether the pages are believed to be in memory
   */
  final void readByCall(PageResidency residency, long position, ByteBuffer target, boolean believed)
      throws IOException {
    int count = target.remaining();
    if (!believed) {
      readHeld(position, target);
      residency.markCached(position, count);
    } else if (residency.times(position)) {
      long start = System.nanoTime();
      readHeld(position, target);
      residency.took(position, count, System.nanoTime() - start, false);
    } else {
      readHeld(position, target);
    }
  }
}
