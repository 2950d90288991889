// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.bench.suite.Directories;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Cost of lookups and cursors, and with {@code -prof gc} their allocation. The store has 200,000
 * entries with keys of 16 and values of 100 bytes. The newest eighth is in the memtable and the
 * rest in several runs.
 */
@Measurement(iterations = 3, time = 1)
public class LookupBenchmark extends Microbenchmark {

  private static final int KEYS = 200_000;
  private static final int MANY = 100;

  /** The codec of all tables. */
  @Param({"none", "lz4", "zstd"})
  public String compression;

  private final Random random = new Random(42);
  private final ByteBuffer target = ByteBuffer.allocateDirect(100);
  private final ByteBuffer directKey = ByteBuffer.allocateDirect(16);
  private final byte[] key = new byte[16];
  private final ByteBuffer keyBuffer = ByteBuffer.wrap(key);
  private Path directory;
  private Store store;
  private Cursor cursor;
  private List<byte[]> many;

  @Setup
  public void open() throws IOException {
    directory = Files.createTempDirectory("coppice-lookup");
    store =
        Store.open(
            directory,
            StoreOptions.builder()
                .policy("split-forest,table_size=1MiB")
                .memtableBytes(4 << 20)
                .compression(compression)
                .durability(Durability.NONE)
                .build());
    byte[] value = new byte[100];
    for (int i = 0; i < KEYS; i++) {
      if (i == KEYS - KEYS / 8) {
        store.flush();
        store.awaitIdle();
      }
      random.nextBytes(value);
      System.arraycopy(value, 0, value, 50, 50);
      // Every key once, far from its neighbours in time.
      store.put(number((int) (i * 7919L % KEYS)), value);
    }
    cursor = store.cursor(KeyRange.all());
    many = new ArrayList<>();
    int first = random.nextInt(KEYS - MANY);
    for (int i = 0; i < MANY; i++) {
      many.add(number(first + i).clone());
    }
  }

  private byte[] number(int number) {
    keyBuffer.putLong(8, number);
    return key;
  }

  /** Closes and removes the store. */
  @TearDown
  public void close() throws IOException {
    cursor.close();
    store.close();
    Directories.delete(directory);
  }

  /** Returns a copy of a value in a new array, which takes 120 bytes of heap. */
  @Benchmark
  public byte[] get() {
    return store.get(number(random.nextInt(KEYS)));
  }

  /** Copies a value into a buffer. */
  @Benchmark
  public int getInto() {
    return store.getInto(number(random.nextInt(KEYS)), target);
  }

  /** Copies a value into a buffer, with the key in a direct buffer. */
  @Benchmark
  public int getIntoByDirectKey() {
    directKey.putLong(8, random.nextInt(KEYS));
    return store.getInto(directKey, target);
  }

  /** Looks up a key that is absent. */
  @Benchmark
  public int getIntoMissing() {
    return store.getInto(number(KEYS + random.nextInt(KEYS)), target);
  }

  /**
   * Looks up a hundred adjacent keys in one call; the result is per key. Each value is a new array,
   * which takes 120 bytes of heap.
   */
  @Benchmark
  @OperationsPerInvocation(MANY)
  public List<byte[]> getAll() {
    return store.getAll(many);
  }

  /**
   * Reads the first byte of the cursor's key and value through views, then moves to the next key. A
   * cursor past the last key starts again at the first.
   */
  @Benchmark
  public byte next() {
    if (!cursor.valid()) {
      cursor.first();
    }
    ByteBuffer keyView = cursor.keyView();
    ByteBuffer valueView = cursor.valueView();
    byte seen = (byte) (keyView.get(keyView.position()) ^ valueView.get(valueView.position()));
    cursor.next();
    return seen;
  }
}
