// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.bench.suite.Directories;
import io.coppice.simulator.keys.Permutation;
import io.coppice.workload.BenchmarkKeys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Cost of a write of an entry with a key of 16 and a value of 100 bytes. The benchmark encodes it
 * into a batch with the engine and with RocksDB, and writes it to a Coppice store whose log is not
 * synced. A file write of the same bytes is the lower bound of a log.
 */
public class WriteBenchmark extends Microbenchmark {

  private static final int BATCH = 100;
  private static final int VALUE_BYTES = 100;
  private static final int KEYS = 1_000_000;
  private static final long MAX_LOG_BYTES = 256L << 20;

  static {
    RocksDB.loadLibrary();
  }

  private final Permutation order = new Permutation(KEYS, 42);
  private final byte[] key = new byte[BenchmarkKeys.BYTES];
  private final byte[] value = new byte[VALUE_BYTES];
  private final ByteBuffer record = ByteBuffer.allocateDirect(BenchmarkKeys.BYTES + VALUE_BYTES);
  private Path directory;
  private Store store;
  private FileChannel log;
  private int next;

  /** Opens a store and a log file. */
  @Setup
  public void open() throws IOException {
    directory = Files.createTempDirectory("coppice-write");
    store =
        Store.open(
            directory.resolve("store"),
            StoreOptions.builder().durability(Durability.BUFFERED).build());
    log =
        FileChannel.open(
            directory.resolve("log"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  /** Closes and removes the store and the log file. */
  @TearDown
  public void close() throws IOException {
    store.close();
    log.close();
    Directories.delete(directory);
  }

  private byte[] nextKey() {
    next = next + 1 < KEYS ? next + 1 : 0;
    BenchmarkKeys.write(key, order.of(next));
    return key;
  }

  /** Encodes a write batch with the engine. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int encodeOurs() {
    WriteBatch batch = new WriteBatch();
    for (int i = 0; i < BATCH; i++) {
      batch.put(nextKey(), value);
    }
    return batch.count();
  }

  /** Encodes a write batch with RocksDB through its Java binding. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int encodeRocksdb() throws RocksDBException {
    try (org.rocksdb.WriteBatch batch = new org.rocksdb.WriteBatch()) {
      for (int i = 0; i < BATCH; i++) {
        batch.put(nextKey(), value);
      }
      return batch.count();
    }
  }

  /** Writes an entry to the store, whose flushes and merges run in the background. */
  @Benchmark
  public void put() {
    store.put(nextKey(), value);
  }

  /** Appends the bytes to a file that restarts at intervals. */
  @Benchmark
  public long append() throws IOException {
    if (log.position() > MAX_LOG_BYTES) {
      log.truncate(0);
    }
    return log.write(record.clear());
  }
}
