// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import io.coppice.io.Disk;
import io.coppice.io.file.RealFile;
import io.coppice.io.uring.AlignedMemory;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One read: its parameters and its result. It belongs to its batch unless the batch abandons it. An
 * abandoned request belongs to the reader, which lets it finish and reuses it. Its bytes are in its
 * own array, so the buffers that devices write to are free as soon as a read has ended, however
 * long its result is kept.
 *
 * <pre>
 *   ADDED --submit--> UNDER_WAY --the reader--> ENDED
 *                         `------the batch----> GIVEN_UP
 * </pre>
 */
final class BlockReadRequest {

  static final int ADDED = 0;
  static final int UNDER_WAY = 1;
  static final int ENDED = 2;
  static final int GIVEN_UP = 3;

  /** Largest array in bytes that is kept for the next read. */
  private static final int KEPT_BYTES = 32 << 10;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(BlockReadRequest.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  Disk.InputFile file;

  /**
   * The file if it is one of the file system, kept open by this request; null for a file of another
   * disk.
   */
  RealFile real;

  long offset;
  int length;
  byte[] bytes = new byte[2 * AlignedMemory.PAGE_BYTES];

  /** Reason of the failure; written before the request ends. */
  Throwable failure;

  /** Next request in the queue of a reader. */
  BlockReadRequest next;

  private BlockReadBatch owner;

  /** Number of the read in its batch. */
  private int number;

  private volatile boolean inRing;

  @SuppressWarnings("unused")
  private volatile int state;

  /** Prepares the request for a read. Returns false if the file is closed. */
  boolean start(BlockReadBatch batch, int index, Disk.InputFile of, long at, int count) {
    if (bytes.length < count) {
      bytes = new byte[pagesFor(count)];
    }
    real = of instanceof RealFile held ? held : null;
    if (real != null && !real.enter()) {
      real = null;
      return false;
    }
    owner = batch;
    number = index;
    file = of;
    offset = at;
    length = count;
    failure = null;
    state = ADDED;
    return true;
  }

  private static int pagesFor(int count) {
    long pages = (count + AlignedMemory.PAGE_BYTES - 1L) / AlignedMemory.PAGE_BYTES;
    return (int) Math.min(pages * AlignedMemory.PAGE_BYTES, Integer.MAX_VALUE - 8);
  }

  int state() {
    return state;
  }

  void underWay() {
    state = UNDER_WAY;
  }

  /**
   * Abandons a request under way, which then belongs to the reader. Returns false for a request in
   * another state and leaves it as it is; an ended request stays with its batch.
   */
  boolean giveUp() {
    return STATE.compareAndSet(this, UNDER_WAY, GIVEN_UP);
  }

  boolean givenUp() {
    return state == GIVEN_UP;
  }

  /**
   * Ends the request, called by the reader, which no longer uses the file. Returns false if the
   * request was abandoned and stays with the reader.
   *
   * @param reason cause of a failure, or null
   */
  boolean end(Throwable reason) {
    failure = reason;
    return STATE.compareAndSet(this, UNDER_WAY, ENDED);
  }

  BlockReadBatch owner() {
    return owner;
  }

  int number() {
    return number;
  }

  /** Ends the use of the file. */
  void leave() throws IOException {
    RealFile held = real;
    real = null;
    if (held != null) {
      held.leave();
    }
  }

  /** Ends the use of the file for a request that was never submitted. */
  void leaveQuietly() {
    RealFile held = real;
    real = null;
    if (held != null) {
      held.leaveQuietly();
    }
  }

  /** Returns whether a ring has the request. */
  boolean inRing() {
    return inRing;
  }

  void inRing(boolean has) {
    inRing = has;
  }

  /** Clears everything except its array, for reuse. */
  void reset() {
    file = null;
    failure = null;
    owner = null;
    next = null;
    if (bytes.length > KEPT_BYTES) {
      bytes = new byte[2 * AlignedMemory.PAGE_BYTES];
    }
  }
}
