// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.crash.CrashViolation.Kind;
import io.coppice.io.Disk;
import io.coppice.io.MemDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/**
 * Merges make room on a disk without room for one table, because the reserve is released. They do
 * so again after the store has reserved the space again, and after an opening that needs a larger
 * reserve.
 */
public final class FullDiskTrial {

  private static final int KEYS = 60;

  /** Enough for the reserve, which grows with the tables, to be created again. */
  private static final int RUNS = 10;

  private static final int VALUE_BYTES = 1000;

  private final UnaryOperator<Disk> wrapper;
  private final MemDisk memory = new MemDisk();

  /**
   * Prepares it.
   *
   * @param wrapper wraps the disk of the store
   */
  public FullDiskTrial(UnaryOperator<Disk> wrapper) {
    this.wrapper = wrapper;
  }

  public void run() throws IOException {
    for (String policy :
        new String[] {
          "leveled,l0_trigger=64,table_size=4KiB,cleaning_threshold=10",
          "leveled,l0_trigger=64,table_size=32KiB,cleaning_threshold=10"
        }) {
      StoreOptions options =
          StoreOptions.builder()
              .policy(policy)
              .memory(MemoryBudget.ofMebibytes(16))
              .memtableBytes(128 << 10)
              .build();
      memory.capacity(Long.MAX_VALUE);
      try (Store store =
          TestStores.open(wrapper.apply(memory.reopen()), options, new SeededWorkers(1))) {
        fillAndMerge(store);
        fillAndMerge(store);
      }
    }
  }

  private void fillAndMerge(Store store) {
    try {
      fill(store);
    } catch (RuntimeException e) {
      throw new CrashViolation(Kind.WRONG_ANSWER, "a disk with room takes writes: " + e, e);
    }
    merge(store);
  }

  private static void fill(Store store) {
    for (int run = 0; run < RUNS; run++) {
      WriteBatch batch = new WriteBatch();
      for (int i = 0; i < KEYS; i++) {
        byte[] value = new byte[VALUE_BYTES];
        value[0] = (byte) run;
        batch.put(String.format("k%04d", i).getBytes(StandardCharsets.US_ASCII), value);
      }
      store.write(batch, Durability.BUFFERED);
      store.flush();
    }
  }

  private void merge(Store store) {
    long before = store.stats().tableBytes();
    memory.capacity(Long.MAX_VALUE - memory.freeBytes() + VALUE_BYTES);
    try {
      store.compact();
    } catch (RuntimeException e) {
      throw new CrashViolation(Kind.WRONG_ANSWER, "merges end on a full disk: " + e, e);
    }
    if (store.stats().tableBytes() > before / 2) {
      throw new CrashViolation(Kind.WRONG_ANSWER, "merges make no room on a full disk");
    }
    memory.capacity(Long.MAX_VALUE);
  }
}
