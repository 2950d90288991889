// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.Closeable;

/**
 * Reads blocks of many files at once, so that a disk which works on several requests at a time gets
 * them together. Safe to share between threads; closed after its last batch.
 */
public interface BlockReader extends Closeable {

  /** A batch of this reader, empty; made once and used again and again, by one thread at a time. */
  ReadBatch newBatch();

  /** Reads of all batches under way now, and those that were {@link #alone}. */
  int inFlight();

  /** Counts one more read that a thread carries out by itself, or with -1 one less. */
  default void alone(int change) {}

  /** True if blocks that are not in memory are read past the page cache, where that works. */
  default boolean direct() {
    return false;
  }

  /** What reads, and how, in one line for people. */
  String describe();
}
