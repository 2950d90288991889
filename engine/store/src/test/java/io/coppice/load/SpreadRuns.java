// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.load;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;

/** Data of which each key is in the oldest of six runs and in one other, for tests of reads. */
public final class SpreadRuns {

  public static final int KEYS = 3_000;

  private static final int RUNS = 6;

  private SpreadRuns() {}

  /** Options under which such runs stay. */
  public static StoreOptions.Builder options() {
    return StoreOptions.builder()
        .memory(MemoryBudget.ofMebibytes(24))
        .memtableBytes(1 << 20)
        .policy("leveled,l0_trigger=16")
        .filterBits(0)
        .durability(Durability.NONE);
  }

  public static void fill(Path directory, StoreOptions options) {
    try (Store store = Store.open(directory, options)) {
      for (int run = 0; run < RUNS; run++) {
        for (int key = 0; key < KEYS; key++) {
          if (run == 0 || run == newestRun(key)) {
            store.put(key(key), value(key, run));
          }
        }
        store.flush();
      }
    }
  }

  public static byte[] key(int key) {
    return ByteBuffer.allocate(4).putInt(key).array();
  }

  /** What a lookup of the key finds. */
  public static byte[] value(int key) {
    return value(key, newestRun(key));
  }

  private static int newestRun(int key) {
    return key * 31 % RUNS;
  }

  private static byte[] value(int key, int run) {
    byte[] value = new byte[100];
    new Random(31L * key + run).nextBytes(value);
    return value;
  }
}
