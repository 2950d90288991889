// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

/** Access of one thread to a store, with its own buffers. Failures are unchecked. */
public interface ReadSession extends AutoCloseable {

  /** Looks a key up: the length of its value, or -1. */
  int get(byte[] key);

  /** Returns whether the value of the last {@link #get} equals this range. */
  boolean found(byte[] pool, int from, int length);

  /** A cursor over everything, as it is now. */
  Scan scan();

  @Override
  void close();

  /** A cursor over the entries in key order. */
  interface Scan extends AutoCloseable {
    void first();

    void last();

    void seek(byte[] key);

    void next();

    void previous();

    boolean valid();

    /** The number of the present key. */
    long index();

    /** Returns whether the current value equals this range. */
    boolean found(byte[] pool, int from, int length);

    @Override
    void close();
  }
}
