// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.Closeable;

/**
 * Reader of many blocks of many files at once, so that a disk that serves several requests in
 * parallel gets them together. Safe to share between threads; its owner closes it after its last
 * batch.
 */
public interface BlockReader extends Closeable {

  /**
   * Returns an empty batch of this reader. One thread at a time uses the batch, again and again,
   * and closes it.
   */
  ReadBatch newBatch();

  /**
   * Returns the number of reads in progress: those of all batches, and those counted by {@link
   * #alone}. A reader that reads in the submitting thread returns 0.
   */
  int inFlight();

  /**
   * Counts reads that threads carry out by themselves.
   *
   * @param change 1 before such a read, -1 after it
   */
  default void alone(int change) {}

  /**
   * Returns whether reads of blocks outside memory bypass the page cache, if the file system
   * supports it.
   */
  default boolean direct() {
    return false;
  }

  /** Returns a description of the reader for people, in one line. */
  String describe();
}
