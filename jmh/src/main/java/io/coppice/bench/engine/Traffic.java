// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

/**
 * Behavior of the clients of a load. A value.
 *
 * @param threads threads that look up or seek at the same time; one thread writes
 * @param writeBytesPerSecond limit of all writes; 0 for none
 * @param writerBytesPerSecond limit of the writer beside readers; 0 for that of all writes
 * @param readSeconds how long reads and mixes take; 0 to count operations instead
 * @param seekNexts steps after a seek
 * @param readPercent of the operations of readrandomwriterandom
 * @param zipf exponent of the distribution of keys; 0 draws all alike
 * @param rests whether the writer waits several times per memtable until Coppice or RocksDB has no
 *     flush or merge left; other stores do not wait
 * @param timeline whether the process reports each second
 */
public record Traffic(
    int threads,
    long writeBytesPerSecond,
    long writerBytesPerSecond,
    double readSeconds,
    int seekNexts,
    int readPercent,
    double zipf,
    boolean rests,
    boolean timeline) {

  /** One thread without limits of rate or time; nine reads in ten operations of a mix. */
  static final Traffic PLAIN = new Traffic(1, 0, 0, 0, 10, 90, 0, false, false);

  /** Returns the limit of the writer beside readers in bytes per second, or 0 for none. */
  long besideReaders() {
    return writerBytesPerSecond > 0 ? writerBytesPerSecond : writeBytesPerSecond;
  }

  /** Returns the same operations without limits of rate or time. */
  Traffic unpaced() {
    return new Traffic(threads, 0, 0, 0, seekNexts, readPercent, zipf, false, false);
  }
}
