// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

/** A store under test, used by one thread. Failures are unchecked and end the process. */
interface TestedStore extends AutoCloseable {

  /** Writes; survives the death of the process when it returns. The arrays are not kept. */
  void put(byte[] key, byte[] pool, int valueFrom, int valueLength);

  /** Looks a key up: the length of its value, or -1. */
  int get(byte[] key);

  /** True if the value that {@link #get} found last is this range. */
  boolean found(byte[] pool, int from, int length);

  /** A cursor over everything, as it is now. */
  Scan scan();

  /** Writes what is in memory to tables, and returns when nothing is flushed or merged any more. */
  void settle();

  /** Merges everything as far as the store can, and returns when it is done. */
  void compact();

  Counters counters();

  /** The store, its version and its options, in one line. */
  String describe();

  @Override
  void close();

  /** A cursor. */
  interface Scan extends AutoCloseable {
    void first();

    void seek(byte[] key);

    void next();

    boolean valid();

    /** The number of the present key. */
    long index();

    /** True if the present value is this range. */
    boolean found(byte[] pool, int from, int length);

    @Override
    void close();
  }

  /**
   * What the store counted since it was opened.
   *
   * @param flushes memtables written, or -1 if it does not tell
   * @param flushedBytes bytes of tables that flushes made
   * @param mergedBytes bytes of tables that merges made
   * @param tableBytes bytes of all tables now
   * @param sortedRuns how many runs a read may have to look into
   */
  record Counters(
      long flushes, long flushedBytes, long mergedBytes, long tableBytes, long sortedRuns) {}
}
