// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import java.util.List;

/** Access of a binding to a store. Thread-safe. Failures are unchecked. */
interface RecordStore extends AutoCloseable {

  /** Returns the value of a key, or null if the key is absent. */
  byte[] get(byte[] key);

  void put(byte[] key, byte[] value);

  void delete(byte[] key);

  /** Returns at most the given number of values, from this key on. */
  List<byte[]> scan(byte[] from, int most);

  /**
   * Returns when all flushes and merges have ended; the result is the nanoseconds that only polling
   * took.
   */
  long settle();

  @Override
  void close();
}
