// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import java.util.List;
import java.util.concurrent.Callable;

/**
 * Access of a binding to a store. Thread-safe.
 *
 * @param settling waits until all flushes and merges have ended; the result is the nanoseconds that
 *     only polling took
 */
record RecordStore(
    Lookup lookup,
    Write write,
    Delete delete,
    Scan scan,
    Callable<Long> settling,
    Runnable closing) {

  /** Returns the value of a key, or null if the key is absent. */
  interface Lookup {
    byte[] get(byte[] key) throws Exception;
  }

  /** Writes a value under a key. */
  interface Write {
    void put(byte[] key, byte[] value) throws Exception;
  }

  /** Deletes a key with its value. */
  interface Delete {
    void delete(byte[] key) throws Exception;
  }

  /** Returns at most the given number of values, from a key on. */
  interface Scan {
    List<byte[]> values(byte[] from, int most);
  }
}
