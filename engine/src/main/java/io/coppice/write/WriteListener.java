// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

/** Told what the write path does. Called from writing and flushing threads; must be quick. */
public interface WriteListener {

  /** Keys and values of a group were accepted. */
  void accepted(long bytes);

  /** A memtable became tables; the version that names them is installed. */
  void flushed(long bytes);

  /** A write waited for flush or merge. */
  void stalled(long nanos);

  /** The log, a flush or the manifest failed: the store takes no more writes. */
  void failed(String what, Throwable cause);
}
