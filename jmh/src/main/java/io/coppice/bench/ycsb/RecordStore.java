// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import java.util.List;

/** What a binding needs of a store. Safe to share between threads. Failures are unchecked. */
interface RecordStore extends AutoCloseable {

  /** Null if the key is not there. */
  byte[] get(byte[] key);

  void put(byte[] key, byte[] value);

  void delete(byte[] key);

  /** The values of so many keys at most, from this one on. */
  List<byte[]> scan(byte[] from, int most);

  /**
   * Returns when nothing is flushed or merged any more, and how many nanoseconds of it were but
   * watching.
   */
  long settle();

  @Override
  void close();
}
