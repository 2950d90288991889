// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.base.Durability;

/**
 * How much a benchmark does.
 *
 * @param keys different keys, and what each thread writes
 * @param reads what each thread reads
 * @param valueBytes of each value
 * @param threads that work at once
 * @param seed decides keys and values
 * @param durability of each write
 */
record BenchLoad(
    int keys, long reads, int valueBytes, int threads, long seed, Durability durability) {

  /** What one thread does of a word. */
  long operations(BenchWord word) {
    return word.whole() ? 1 : word.reads() ? reads : keys;
  }
}
