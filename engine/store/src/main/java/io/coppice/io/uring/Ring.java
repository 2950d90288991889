// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.uring;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Queue of file operations that the kernel carries out asynchronously. It belongs to the thread
 * that adopted it last; other threads may call only {@link #wakeUp} and {@link #closeDescriptor}. A
 * number from 0 to {@link #MAX_OPERATIONS}, exclusive, identifies an operation, and may be in use
 * only once at a time. The kernel owns the memory of an operation until it is done. Used by one
 * thread at a time.
 */
public interface Ring {

  /** Exclusive upper bound of operation numbers, so that the ring need not store them. */
  int MAX_OPERATIONS = 1 << 15;

  /** Factory that opens rings. Safe to share between threads. */
  interface Factory {

    /**
     * Opens rings that any thread may adopt, and waits for that. The caller closes them.
     *
     * @param each one listener per ring; the thread that runs the ring calls it for each completed
     *     operation. It must not throw
     * @return one ring per listener, in their order
     */
    List<Ring> open(List<? extends Completions> each);
  }

  /** Listener for completed operations. Called by one thread. */
  interface Completions {
    /**
     * Handles a completed operation.
     *
     * @param operation its number
     * @param result a negative error number, or at least 0: bytes read, or the descriptor of an
     *     opened file
     */
    void done(int operation, int result);
  }

  /**
   * Makes the calling thread the ring's owner. All other threads must have left it, because a ring
   * has no lock.
   */
  void adopt();

  /**
   * Queues the opening of a file for reading.
   *
   * @param pathAddress address of the absolute path, whose bytes end with 0; valid until the
   *     operation is done
   * @param flags see {@link OpenFlags}
   */
  void open(int operation, long pathAddress, int flags);

  /**
   * Queues a read at an offset.
   *
   * @param address address of the memory to read into, valid until the operation is done
   */
  void read(int operation, int descriptor, long offset, long address, int length);

  /** Queues advice to the kernel that a mapping is read at random positions. */
  void adviseRandom(int operation, long address, long length);

  /**
   * Queues advice to the kernel that a file is read at random positions, so that a read loads only
   * its own range.
   */
  void adviseRandomReads(int operation, int descriptor);

  /**
   * Queues the removal of a file's pages from the page cache, except those not yet written back.
   */
  void dropPages(int operation, int descriptor);

  /**
   * Submits the operations queued since the last call, and passes completions to {@link
   * Completions}. Returns after the first completions.
   *
   * @param waitsForOne whether to wait for a completion if there is none
   */
  void run(boolean waitsForOne);

  /** Makes a waiting {@link #run} return; from any thread. */
  void wakeUp();

  /** Returns the memory address of a direct buffer. */
  long address(ByteBuffer direct);

  /**
   * Closes a file that a ring of this kind has opened; from any thread, also after the ring was
   * closed.
   */
  void closeDescriptor(int descriptor) throws IOException;

  /** Closes the ring; no operation may be in progress. */
  void close();
}
