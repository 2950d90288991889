// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;

/**
 * Batch of reads of one thread, numbered from 0 in the order of their addition. Abandoned reads
 * finish on their own, and their files stay open until then. An interrupt of the thread is kept and
 * does not fail any read.
 */
public interface ReadBatch extends AutoCloseable {

  /** Maximum number of reads in a batch, because the bits of a long represent a set of reads. */
  int MAX_READS = 64;

  /**
   * Adds a read, which {@link #submit} starts. Between two {@link #clear} at most {@link
   * #MAX_READS} are added.
   *
   * @param file file to read; it stays open until the read has ended
   * @return the number of the read
   * @throws io.coppice.base.ClosedException if the file is closed; {@link #take} may report that
   *     instead
   */
  int add(Disk.InputFile file, long offset, int length);

  /**
   * Starts the reads added since the last submission without waiting for them. A serial reader
   * carries them out here.
   */
  void submit();

  /**
   * Waits until at least one of some reads has ended, successfully or not.
   *
   * @param any set of submitted reads, one bit each; not 0
   * @return the reads of the set that have ended
   */
  long await(long any);

  /**
   * Waits until all reads of a set have ended, successfully or not.
   *
   * @param all a set of submitted reads, one bit each; not 0
   */
  default void awaitAll(long all) {
    for (long left = all; left != 0; ) {
      left &= ~await(left);
    }
  }

  /**
   * Copies the bytes of a read that {@link #await} has returned as ended.
   *
   * @param target has room for the read's length from {@code at} on
   * @throws java.io.EOFException if the file ended before the length
   * @throws IOException if the bytes could not be read; the message names file and offset
   */
  void take(int read, byte[] target, int at) throws IOException;

  /**
   * Returns the array with the bytes of a read from position 0, without a copy; it may be longer
   * than the read. It is valid until a read is added after the next {@link #clear}. Throws like
   * {@link #take}.
   */
  byte[] lend(int read) throws IOException;

  /**
   * Reads one block in the calling thread, which waits for it, without a number. Like the reads of
   * the batch, it may bypass the page cache; bytes in memory are read from there.
   *
   * @throws java.io.EOFException if the file ends before the length
   */
  default void readAlone(Disk.InputFile file, long offset, byte[] target, int at, int length)
      throws IOException {
    file.read(offset, target, at, length);
  }

  /**
   * Abandons the reads in progress without waiting, and removes all reads. The next read added has
   * number 0; until then, arrays of {@link #lend} stay valid.
   */
  void clear();

  /**
   * Abandons the reads as {@link #clear} does, and releases the memory. The batch is not used
   * afterwards.
   */
  @Override
  void close();
}
