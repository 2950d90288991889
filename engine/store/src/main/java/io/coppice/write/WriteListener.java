// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

/**
 * Listener of the write path. Writing and flushing threads call it, possibly several at once, so it
 * must be safe to share between threads. It must return quickly.
 */
public interface WriteListener {

  /** Reports that a group of keys and values was accepted. */
  void accepted(long bytes);

  /** Reports that memtables became tables; the version that names them is installed. */
  void flushed(long bytes);

  /** Reports that a write waited for a flush or merge. */
  void stalled(long nanos);

  /**
   * Reports that a write begins to wait for merges of a family: failed ones should be retried at
   * once.
   */
  void waitsForMerges(int family);

  /** Reports a harmless failure: it is retried, or left to the next opening. */
  void troubled(String what, Throwable cause);

  /**
   * Reports that the log, a flush or the manifest failed, so that the store takes no more writes.
   */
  void failed(String what, Throwable cause);
}
