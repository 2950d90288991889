// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

/**
 * Listener of the write path. Writing and flushing threads call it, possibly several at once, so it
 * must be safe to share between threads. It must return quickly.
 */
public interface WriteListener {

  /**
   * Reports that a write group is committed and visible to reads. Its writers still wait. An
   * exception would hand the written group back to its queue, so the receiver must not throw.
   *
   * @param bytes bytes of its batches, encoded as the log stores them
   */
  void accepted(long bytes);

  /**
   * Reports that memtables became tables; the version that names the tables is installed.
   *
   * @param bytes bytes of these tables
   */
  void flushed(long bytes);

  /**
   * Reports a wait of a write group: for memory, for flushes or merges, or as its delay under write
   * pressure.
   *
   * @param nanos length of the wait
   */
  void stalled(long nanos);

  /**
   * Reports that writers begin to wait for merges of a family. The receiver retries a failed merge
   * at once instead of after its pause.
   *
   * @param family number of the family
   */
  void waitsForMerges(int family);

  /**
   * Reports a failure after which writes continue: the action is retried, or left to the next
   * opening of the store.
   *
   * @param what the action that failed
   */
  void troubled(String what, Throwable cause);

  /**
   * Reports that the log, a flush or the manifest failed, so that the store takes no more writes.
   *
   * @param what the action that failed
   */
  void failed(String what, Throwable cause);
}
