// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A queue of file operations that the kernel carries out meanwhile. It belongs to the thread that
 * has adopted it last; only {@link #wakeUp} and {@link #closeDescriptor} may be called by others.
 * What an operation is, its number says; numbers are from 0 up to {@link #MAX_OPERATIONS}, each
 * under way once at most. Memory that an operation uses belongs to the kernel until it is done.
 */
interface Ring {

  /** Numbers of operations are below this, so that the ring need not remember them. */
  int MAX_OPERATIONS = 1 << 15;

  /** Opens rings. */
  interface Factory {

    /**
     * Rings that any thread may adopt.
     *
     * @param each one for each ring; told, in the thread that runs it, of each operation that is
     *     done; throws nothing
     */
    List<Ring> open(List<? extends Completions> each);
  }

  /** Is told what became of operations. */
  interface Completions {
    /** An operation is done, with a count of at least 0, or the negative number of an error. */
    void done(int operation, int result);
  }

  /** Makes it the calling thread's; no other is inside. */
  void adopt();

  /** Opens a file of an absolute path, of which the bytes end with 0. */
  void open(int operation, long pathAddress, int flags);

  /** Reads at an offset. */
  void read(int operation, int descriptor, long offset, long address, int length);

  /** Tells the kernel that a mapping is read at random places. */
  void adviseRandom(int operation, long address, long length);

  /**
   * Says that a file is read at random places, so that its reads bring in what they ask for only.
   */
  void adviseRandomReads(int operation, int descriptor);

  /** Lets go of the pages of a file that are in memory and have been written back. */
  void dropPages(int operation, int descriptor);

  /**
   * Hands over what was asked since the last call, and passes on what is done. After the first that
   * it passes on it does not wait any more.
   */
  void run(boolean waitsForOne);

  /** Makes a call of {@link #run} that waits return; from any thread. */
  void wakeUp();

  /** Where a buffer lies. */
  long address(ByteBuffer direct);

  /** Closes a file that a ring of this kind has opened; from any thread, at any time. */
  void closeDescriptor(int descriptor) throws IOException;

  /** Ends it; nothing is under way. */
  void close();
}
