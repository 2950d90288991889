// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

/**
 * A store under test, used by one thread; others read through sessions of their own. Failures are
 * unchecked and end the process.
 */
public interface TestedStore extends ReadSession {

  /** Returns the session of the thread that writes. */
  ReadSession own();

  @Override
  default int get(byte[] key) {
    return own().get(key);
  }

  @Override
  default boolean found(byte[] pool, int from, int length) {
    return own().found(pool, from, length);
  }

  @Override
  default Scan scan() {
    return own().scan();
  }

  /** Writes; survives the death of the process when it returns. The arrays are not kept. */
  void put(byte[] key, byte[] pool, int valueFrom, int valueLength);

  /** Writes a batch through the store's batch call. The store does not keep the arrays. */
  void putAll(byte[][] keys, byte[] pool, int[] valuesFrom, int valueLength);

  void delete(byte[] key);

  /** Opens a session for another thread; close it before the store. */
  ReadSession session();

  /**
   * Writes the memtables to disk and returns when all flushes, merges and cleaning have ended.
   *
   * @return nanoseconds at the end in which the store was already quiet, for stores that must be
   *     polled
   */
  long settle();

  /** Returns when all flushes and merges have ended, if the store can tell at once. */
  default void rest() {}

  /** Merges everything as far as the store can, and returns when it is done. */
  void compact();

  /** Changes to another policy of Coppice and returns when the policy wants no more work. */
  default void policy(String text) {
    throw new UnsupportedOperationException("a peer has no policy of ours");
  }

  Counters counters();

  /** How hard it is pressed right now; asked often, by another thread. */
  default Pressure pressure() {
    return Pressure.NONE;
  }

  /** The store, its version and its options, in one line. */
  String describe();

  /**
   * Counters of a store since it was opened; -1 for unknown ones.
   *
   * @param flushes memtables written
   * @param flushedBytes bytes of tables that flushes made
   * @param mergedBytes bytes of tables that merges made
   * @param mergeReadBytes bytes of tables that merges consumed
   * @param tableBytes bytes of all tables now
   * @param sortedRuns runs that a read may have to check
   * @param delayedNanos total time for which writers were throttled
   * @param lookups keys looked up
   * @param tablesAsked tables that lookups read after their filters
   * @param delays deferred merges of Coppice
   */
  record Counters(
      long flushes,
      long flushedBytes,
      long mergedBytes,
      long mergeReadBytes,
      long tableBytes,
      long sortedRuns,
      long delayedNanos,
      long lookups,
      long tablesAsked,
      long delays) {

    /** Returns the counters of a store that only reports its size. */
    static Counters ofSize(long bytes) {
      return new Counters(-1, -1, -1, -1, bytes, -1, -1, -1, -1, -1);
    }
  }

  /**
   * Distance of a store from stopping writers.
   *
   * @param debt backlog as a share of the limit at which writers stop
   * @param mergedBytes bytes that merges have made since it was opened
   */
  record Pressure(double debt, long mergedBytes) {
    /** Pressure of a store that does not report it. */
    static final Pressure NONE = new Pressure(0, 0);
  }
}
