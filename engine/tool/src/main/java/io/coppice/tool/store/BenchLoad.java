// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import io.coppice.base.Durability;

/**
 * The amount of work of a benchmark.
 *
 * @param keys the number of different keys, and of the writes of each thread
 * @param reads the number of reads of each thread
 * @param valueBytes the size of each value in bytes
 * @param threads the number of concurrent threads
 * @param seed determines keys and values
 * @param durability the durability of each write
 */
record BenchLoad(
    int keys, long reads, int valueBytes, int threads, long seed, Durability durability) {

  /**
   * Returns the number of operations of one thread for a benchmark; for a scan, the most entries
   * that it passes.
   */
  long operations(BenchWord word) {
    return word.whole() ? 1 : word.reads() ? reads : keys;
  }
}
