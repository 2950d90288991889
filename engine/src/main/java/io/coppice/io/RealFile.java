// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A file of the file system that does not change: what readers of blocks need to know of it. */
sealed interface RealFile extends Disk.InputFile permits MappedFile, PositionalFile {

  /** Holds the file open until {@link #leave}; false if it is closed. Never blocks. */
  boolean enter();

  /** Lets go; the last one after closing frees what the file holds. */
  void leave() throws IOException;

  /** Where it was when it was opened. */
  Path path();

  /** Tells it from a file that has its name later; null where the system cannot. */
  Object fileKey();

  /** Which of its pages are believed to be in memory; null if nobody asks. */
  Residency residency();

  /** What readers have opened for it. */
  Attachments attachments();

  /**
   * Reads through the page cache until the buffer is full, of a file that is held. Takes no pages
   * in through a mapping.
   *
   * @throws java.io.EOFException if the file ends before
   */
  void readHeld(long position, ByteBuffer target) throws IOException;

  /** As {@link #leave}, where a failure to close is nobody's. */
  default void leaveQuietly() {
    try {
      leave();
    } catch (IOException e) {
      System.getLogger("io.coppice.Store")
          .log(System.Logger.Level.WARNING, name() + " could not be closed", e);
    }
  }
}
