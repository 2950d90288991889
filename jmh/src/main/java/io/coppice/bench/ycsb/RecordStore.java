// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import java.util.List;

/** Access of a binding to a store. Thread-safe. */
interface RecordStore {

  /** Returns the value of a key, or null if the key is absent. */
  byte[] get(byte[] key) throws Exception;

  void put(byte[] key, byte[] value) throws Exception;

  void delete(byte[] key) throws Exception;

  /** Returns at most the given number of values, from this key on. */
  List<byte[]> scan(byte[] from, int most);

  /**
   * Returns when all flushes and merges have ended; the result is the nanoseconds that only polling
   * took.
   */
  long settle() throws Exception;

  void close();
}
