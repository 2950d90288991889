// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import java.io.Closeable;
import java.nio.file.Path;
import java.util.Map;

/**
 * A store under test, used by one thread; other threads read through sessions of their own. A
 * failure ends the process.
 */
public interface TestedStore extends Closeable {

  /**
   * Opens the first store of a run, and creates it if it is missing. The caller closes it.
   *
   * @throws Exception if the store does not open
   */
  static TestedStore open(Path path, BenchOptions run) throws Exception {
    return switch (run.stores().get(0).kind()) {
      case COPPICE -> new CoppiceStore(path, run);
      case ROCKSDB -> new RocksStore(path, run);
      case ROCKSDB_UNIVERSAL -> new RocksStore(path, run, true, RocksStore.Files.PLAIN);
      case LMDB -> new LmdbStore(path, run);
      case MVSTORE -> new MvStoreStore(path, run);
      case XODUS -> new XodusStore(path, run);
      case LEVELDB -> new LevelDbStore(path, run);
      case MAPDB -> new MapDbStore(path);
    };
  }

  /** Returns the session of the writing thread. */
  ReadSession own();

  /**
   * Writes a value under a key. The write survives the death of the process once the call returns.
   * The store keeps no reference to the arrays.
   */
  void put(byte[] key, byte[] pool, int valueFrom, int valueLength) throws Exception;

  /**
   * Writes a batch by the store's own call for batches. The store keeps no reference to the arrays.
   *
   * @param valuesFrom index in {@code pool} where each value begins
   */
  void putAll(byte[][] keys, byte[] pool, int[] valuesFrom, int valueLength) throws Exception;

  void delete(byte[] key) throws Exception;

  /** Opens a session for another thread; close it before the store. */
  ReadSession session();

  /**
   * Writes the memtables to disk and returns once all flushes, merges and deletions of files have
   * ended.
   *
   * @return nanoseconds without work at the end of the wait, for stores that must be polled
   */
  long settle() throws Exception;

  /**
   * Waits until all flushes and merges have ended. Returns at once if only polling would show that.
   */
  default void rest() throws Exception {}

  /** Runs a major compaction, or the store's nearest operation, and returns when it is done. */
  void compact() throws Exception;

  /** Changes to another policy of Coppice and returns when the policy wants no more work. */
  default void policy(String text) {
    throw new UnsupportedOperationException("a peer has no policy of ours");
  }

  /**
   * Returns the counters since the store was opened, and the present bytes and sorted runs of its
   * tables. A measure that the store does not report is -1 or missing.
   */
  Map<Measure, Long> counters() throws Exception;

  /** Returns the current pressure on the store. Another thread calls this method often. */
  default Pressure pressure() {
    return Pressure.NONE;
  }

  /** Returns the name, version and options of the store in one line. */
  String describe();

  /**
   * Nearness of a store to stopping its writers.
   *
   * @param writePressure write pressure: 1 stops writers
   * @param mergedBytes bytes that merges have written since the store was opened
   */
  record Pressure(double writePressure, long mergedBytes) {
    /** Pressure of a store that does not report it. */
    public static final Pressure NONE = new Pressure(0, 0);
  }
}
