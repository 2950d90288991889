// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.Map;

/**
 * A store under test, used by one thread; others read through sessions of their own. Failures end
 * the process.
 */
public interface TestedStore extends ReadSession {

  /** Returns the session of the thread that writes. */
  ReadSession own();

  @Override
  default int get(byte[] key) throws Exception {
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

  /**
   * Writes a key with its value. The write survives the death of the process once the call returns.
   * The store keeps no reference to the arrays.
   */
  void put(byte[] key, byte[] pool, int valueFrom, int valueLength) throws Exception;

  /** Writes a batch through the store's batch call. The store does not keep the arrays. */
  void putAll(byte[][] keys, byte[] pool, int[] valuesFrom, int valueLength) throws Exception;

  void delete(byte[] key) throws Exception;

  /** Opens a session for another thread; close it before the store. */
  ReadSession session();

  /**
   * Writes the memtables to disk and returns when all flushes, merges and cleaning have ended.
   *
   * @return nanoseconds that the store was already quiet at the end, for stores that must be polled
   */
  long settle() throws Exception;

  /** Returns when all flushes and merges have ended, if the store can tell at once. */
  default void rest() throws Exception {}

  /** Merges everything as far as the store can, and returns when it is done. */
  void compact() throws Exception;

  /** Changes to another policy of Coppice and returns when the policy wants no more work. */
  default void policy(String text) {
    throw new UnsupportedOperationException("a peer has no policy of ours");
  }

  /**
   * Returns the counters since the store was opened, and the present bytes and sorted runs of its
   * tables. Unknown counters are -1 or missing.
   */
  Map<Measure, Long> counters() throws Exception;

  /** Returns the current pressure on the store. Another thread calls this method often. */
  default Pressure pressure() {
    return Pressure.NONE;
  }

  /** Returns the name, version and options of the store in one line. */
  String describe();

  /**
   * Distance of a store from stopping writers.
   *
   * @param debt backlog as a share of the limit that stops writers
   * @param mergedBytes bytes that merges have made since it was opened
   */
  record Pressure(double debt, long mergedBytes) {
    /** Pressure of a store that does not report it. */
    static final Pressure NONE = new Pressure(0, 0);
  }
}
