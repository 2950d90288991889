// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import io.coppice.simulator.keys.Permutation;
import io.coppice.workload.BenchmarkKeys;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Cost of a memtable entry with a key of 16 and a value of 100 bytes: random insertion, lookup,
 * scan. Compared are the engine's memtable, {@code ConcurrentSkipListMap} with arrays, and
 * RocksDB's memtable including its JNI calls.
 */
public class MemtableBenchmark extends Microbenchmark {

  private static final int ENTRIES = 100_000;
  private static final int VALUE_BYTES = 100;

  /** Memtable implementation under test. */
  @Param({"ours", "skip-list-map", "rocksdb"})
  public String store;

  private final Permutation order = new Permutation(ENTRIES, 42);
  private final byte[] key = new byte[BenchmarkKeys.BYTES];
  private final byte[] value = new byte[VALUE_BYTES];
  private SortedBuffer filled;
  private int next;

  /** Fills the buffer for lookups and scans. */
  @Setup
  public void fill() throws Exception {
    filled = SortedBuffer.of(store, ENTRIES, VALUE_BYTES);
    addAll(filled);
  }

  private void addAll(SortedBuffer buffer) throws Exception {
    for (int i = 0; i < ENTRIES; i++) {
      BenchmarkKeys.write(key, order.of(i));
      buffer.add(key, value);
    }
  }

  @TearDown
  public void close() throws Exception {
    filled.close();
  }

  /** Adds all entries to a new buffer, including the cost of opening and closing it. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public int add() throws Exception {
    try (SortedBuffer buffer = SortedBuffer.of(store, ENTRIES, VALUE_BYTES)) {
      addAll(buffer);
      return buffer.get(key);
    }
  }

  /** Adds all entries to a new buffer, by descending key. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public int addDescending() throws Exception {
    try (SortedBuffer buffer = SortedBuffer.of(store, ENTRIES, VALUE_BYTES)) {
      for (int i = ENTRIES - 1; i >= 0; i--) {
        BenchmarkKeys.write(key, i);
        buffer.add(key, value);
      }
      return buffer.get(key);
    }
  }

  /** Looks up a present key and copies its value out. */
  @Benchmark
  public int get() throws Exception {
    next = next + 1 < ENTRIES ? next + 1 : 0;
    BenchmarkKeys.write(key, order.of(next));
    int length = filled.get(key);
    if (length != VALUE_BYTES) {
      throw new IllegalStateException("a value of " + length + " bytes");
    }
    return length;
  }

  /** Scans all entries in key order. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public int walk() {
    int seen = filled.walk();
    if (seen != ENTRIES) {
      throw new IllegalStateException(seen + " entries");
    }
    return seen;
  }
}
