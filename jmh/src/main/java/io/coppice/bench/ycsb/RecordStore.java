// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import java.util.List;
import java.util.concurrent.Callable;

/**
 * Access of a binding to its store. Safe to share between threads.
 *
 * @param settling waits until all flushes and merges have ended; its result is the nanoseconds that
 *     the wait took only because of polling
 * @param closing closes the store
 */
record RecordStore(
    Lookup lookup,
    Write write,
    Delete delete,
    Scan scan,
    Callable<Long> settling,
    Runnable closing) {

  /** Lookup that returns the value of a key, or null if the key is absent. */
  interface Lookup {
    byte[] get(byte[] key) throws Exception;
  }

  /** Write of a value under a key. */
  interface Write {
    void put(byte[] key, byte[] value) throws Exception;
  }

  /** Deletion of a key. */
  interface Delete {
    void delete(byte[] key) throws Exception;
  }

  /** Scan that returns the values of a key and of the keys after it, at most the given number. */
  interface Scan {
    List<byte[]> values(byte[] from, int most);
  }
}
