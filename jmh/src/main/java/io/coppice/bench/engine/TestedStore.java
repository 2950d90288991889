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

  /** Writes all together, by what the store has for it. The arrays are not kept. */
  void putAll(byte[][] keys, byte[] pool, int[] valuesFrom, int valueLength);

  void delete(byte[] key);

  /** What another thread reads through; closed before the store. */
  ReadSession session();

  /**
   * Writes what is in memory to disk, and returns when nothing is flushed, merged or cleaned any
   * more.
   *
   * @return nanoseconds at its end in which the store had long been quiet, as its quiet could only
   *     be seen by watching
   */
  long settle();

  /** Returns when nothing is flushed or merged any more, if the store can tell at once. */
  default void rest() {}

  /** Merges everything as far as the store can, and returns when it is done. */
  void compact();

  /** Goes over to another policy of ours, and returns when what it wants is done. */
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
   * What the store counted since it was opened; -1 for what it does not tell.
   *
   * @param flushes memtables written
   * @param flushedBytes bytes of tables that flushes made
   * @param mergedBytes bytes of tables that merges made
   * @param mergeReadBytes bytes of tables that merges used up
   * @param tableBytes bytes of all tables now
   * @param sortedRuns how many runs a read may have to look into
   * @param delayedNanos how long writers were held back in all
   * @param lookups keys looked up
   * @param tablesAsked tables that lookups asked, past their filters
   * @param delays merges put off, of ours
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

    /** Of a store that tells its size and nothing else. */
    static Counters ofSize(long bytes) {
      return new Counters(-1, -1, -1, -1, bytes, -1, -1, -1, -1, -1);
    }
  }

  /**
   * How near a store is to stopping writers.
   *
   * @param debt what is owed, as a share of the limit at which writers stop
   * @param mergedBytes bytes that merges have made since it was opened
   */
  record Pressure(double debt, long mergedBytes) {
    /** Of a store that does not tell. */
    static final Pressure NONE = new Pressure(0, 0);
  }
}
