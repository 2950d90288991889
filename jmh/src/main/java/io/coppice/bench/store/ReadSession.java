// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import java.io.Closeable;
import java.io.IOException;

/** Access of one thread to a store, with its own buffers. */
public interface ReadSession extends Closeable {

  /**
   * Looks up a key and returns the length of its value in bytes, or -1 if the key is absent.
   *
   * @throws Exception if the store fails
   */
  int get(byte[] key) throws Exception;

  /** Returns whether the value found by the last {@link #get} equals a range of an array. */
  boolean found(byte[] pool, int from, int length);

  /** Opens a cursor over all entries as they are now, without a position; the caller closes it. */
  Scan scan();

  @Override
  default void close() throws IOException {
    // Most read through what belongs to their store.
  }

  /** Cursor over the entries in key order. */
  interface Scan extends Closeable {

    @Override
    default void close() throws IOException {
      // Most hold nothing of their own.
    }

    void first();

    void last();

    void seek(byte[] key);

    void next();

    void previous();

    boolean valid();

    /** Returns the number of the current key; called only while {@link #valid}. */
    long index();

    /** Returns whether the current value equals a range of an array. */
    boolean found(byte[] pool, int from, int length);
  }
}
