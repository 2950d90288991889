// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import io.coppice.io.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Unchanging file of the file system, as block readers see it. Safe to share between threads. */
public sealed interface RealFile extends Disk.InputFile permits MappedFile, PositionalFile {

  /** Keeps the file open until {@link #leave}; returns false if it is closed. Never blocks. */
  boolean enter();

  /** Ends the use of the file; the last user after closing frees its resources. */
  void leave() throws IOException;

  /** Returns the file's path at the time of its opening. */
  Path path();

  /**
   * Returns a key that differs from that of any later file with its name; null if the system has
   * none.
   */
  Object fileKey();

  /** Returns the file's page residency; null if it is not tracked. */
  PageResidency residency();

  /** Returns the resources that readers have attached. */
  Attachments attachments();

  /**
   * Reads through the page cache until the buffer is full, for a caller that keeps the file open.
   * It never loads pages through a mapping.
   *
   * @throws java.io.EOFException if the file ends before
   */
  void readHeld(long position, ByteBuffer target) throws IOException;

  /** Ends the use of the file like {@link #leave}, and only logs a failure to close it. */
  default void leaveQuietly() {
    try {
      leave();
    } catch (IOException e) {
      System.getLogger("io.coppice.Store")
          .log(System.Logger.Level.WARNING, name() + " could not be closed", e);
    }
  }
}
