// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

/**
 * Told what the write path does. Called from writing and flushing threads, several at once; must be
 * quick.
 */
public interface WriteListener {

  /** Keys and values of a group were accepted. */
  void accepted(long bytes);

  /** A memtable became tables; the version that names them is installed. */
  void flushed(long bytes);

  /** A write waited for flush or merge. */
  void stalled(long nanos);

  /** A write begins to wait for merges of a family: those that failed are to be tried again now. */
  void waitsForMerges(int family);

  /** Something failed without harm: it is tried again, or left to the next opening. */
  void troubled(String what, Throwable cause);

  /** The log, a flush or the manifest failed: the store takes no more writes. */
  void failed(String what, Throwable cause);
}
