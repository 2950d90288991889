// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;

/**
 * Reads of one thread, each known by its number from 0 in the order in which they were added. None
 * is ever lost: what is given up comes home by itself, and its file is held until then. An
 * interrupt of the thread is kept and fails no read.
 */
public interface ReadBatch extends AutoCloseable {

  /** More than this fit into no batch; a set of reads is the bits of a long. */
  int MAX_READS = 64;

  /**
   * Adds a read, which {@link #submit} starts.
   *
   * @param file held until the read is home
   * @return the number of the read
   * @throws io.coppice.base.ClosedException if the file is closed
   */
  int add(Disk.InputFile file, long offset, int length);

  /** Starts the reads added since the last call; does not wait for them. */
  void submit();

  /**
   * Waits until at least one of some reads has ended, well or not.
   *
   * @param any the reads, a bit each, all submitted; not 0
   * @return those of them that have ended
   */
  long await(long any);

  /**
   * Waits until all of some reads have ended, well or not; all were submitted, and there is one.
   */
  default void awaitAll(long all) {
    for (long left = all; left != 0; ) {
      left &= ~await(left);
    }
  }

  /**
   * Copies the bytes of a read that has ended.
   *
   * @param target has room for the read's length from {@code at} on
   * @throws java.io.EOFException if the file ended before the length
   * @throws IOException if the bytes could not be read; it names file and offset
   */
  void take(int read, byte[] target, int at) throws IOException;

  /**
   * As {@link #take}, without a copy: the array that has the bytes from position 0 on. It is lent
   * until a read is added after the next {@link #clear}.
   */
  byte[] lend(int read) throws IOException;

  /**
   * Reads one block at once, in the calling thread: as the reads of this batch are, past the page
   * cache or through it, but without a number. What is in memory comes from there.
   *
   * @throws java.io.EOFException if the file ends before the length
   */
  default void readAlone(Disk.InputFile file, long offset, byte[] target, int at, int length)
      throws IOException {
    file.read(offset, target, at, length);
  }

  /** Gives up what is still under way and forgets all reads; the next one added has number 0. */
  void clear();

  /** As {@link #clear}; the batch is not used any more. */
  @Override
  void close();
}
