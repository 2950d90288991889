// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

/**
 * A store under test, used by one thread; others read through sessions of their own. Failures are
 * unchecked and end the process.
 */
public interface TestedStore extends ReadSession {

  /** Writes; survives the death of the process when it returns. The arrays are not kept. */
  void put(byte[] key, byte[] pool, int valueFrom, int valueLength);

  /** What another thread reads through; closed before the store. */
  ReadSession session();

  /** Writes what is in memory to tables, and returns when nothing is flushed or merged any more. */
  void settle();

  /** Merges everything as far as the store can, and returns when it is done. */
  void compact();

  Counters counters();

  /** The store, its version and its options, in one line. */
  String describe();

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
