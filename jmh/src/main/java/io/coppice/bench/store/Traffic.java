// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

/**
 * Behavior of the clients of a workload. A value.
 *
 * @param threads number of threads that look up or seek; one thread writes
 * @param writeBytesPerSecond limit of the rate of all writes; 0 for none
 * @param writerBytesPerSecond limit of a writer that runs beside readers; 0 for {@code
 *     writeBytesPerSecond}
 * @param readSeconds duration of workloads with reads; 0 to count operations instead
 * @param seekNexts steps after a seek
 * @param readPercent share of reads in {@link Benchmark#READRANDOMWRITERANDOM}, in percent
 * @param deletePercent share of the keys that {@link Benchmark#DELETEUNIQUERANDOM} deletes, in
 *     percent
 * @param zipf exponent of the distribution of keys; 0 draws all keys with equal probability
 * @param rests whether the writer waits several times per memtable until all flushes and merges
 *     have ended; only for Coppice and RocksDB
 * @param timeline whether the process reports each second
 */
public record Traffic(
    int threads,
    long writeBytesPerSecond,
    long writerBytesPerSecond,
    double readSeconds,
    int seekNexts,
    int readPercent,
    int deletePercent,
    double zipf,
    boolean rests,
    boolean timeline) {

  /**
   * Traffic of one thread without limits of rate or time, and nine reads in ten operations of a
   * mixed workload.
   */
  public static final Traffic PLAIN = new Traffic(1, 0, 0, 0, 10, 90, 90, 0, false, false);

  /** Returns the limit of a writer that runs beside readers, in bytes per second; 0 for none. */
  public long besideReaders() {
    return writerBytesPerSecond > 0 ? writerBytesPerSecond : writeBytesPerSecond;
  }

  /** Returns the same operations without limits of rate or time. */
  Traffic unpaced() {
    return new Traffic(threads, 0, 0, 0, seekNexts, readPercent, deletePercent, zipf, false, false);
  }
}
