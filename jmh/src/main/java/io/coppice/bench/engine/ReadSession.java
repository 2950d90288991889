// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

/** What one thread reads a store through, with buffers of its own. Failures are unchecked. */
public interface ReadSession extends AutoCloseable {

  /** Looks a key up: the length of its value, or -1. */
  int get(byte[] key);

  /** True if the value that {@link #get} found last is this range. */
  boolean found(byte[] pool, int from, int length);

  /** A cursor over everything, as it is now. */
  Scan scan();

  @Override
  void close();

  /** A cursor. */
  interface Scan extends AutoCloseable {
    void first();

    void last();

    void seek(byte[] key);

    void next();

    void previous();

    boolean valid();

    /** The number of the present key. */
    long index();

    /** True if the present value is this range. */
    boolean found(byte[] pool, int from, int length);

    @Override
    void close();
  }
}
