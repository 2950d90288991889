// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.io.ErrorDisk;
import io.coppice.io.ErrorDisk.Operation;
import io.coppice.io.MemDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** A queue in a store, whose taken entries still lie in tables, reads few blocks at its head. */
class QueueTest {

  private static final int KEYS = 20_000;
  private static final int LEFT = 100;

  /** Of one cursor: it opens blocks of a few tables, twice. */
  private static final int FEW_READS = 16;

  private final ErrorDisk disk = new ErrorDisk(new MemDisk());

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  /** Moves a cursor to an end of the queue; returns how often it read. */
  private int reads(Store store, boolean first, int expected) {
    int before = disk.count(Operation.READ);
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      if (first) {
        cursor.first();
      } else {
        cursor.seekForPrev(key(KEYS - LEFT - 1));
      }
      assertThat(cursor.valid()).isEqualTo(expected >= 0);
      if (expected >= 0) {
        assertThat(cursor.key()).isEqualTo(key(expected));
      }
    }
    return disk.count(Operation.READ) - before;
  }

  @Test
  void theHeadIsFoundInFewReadsOnceItWasFound() throws IOException {
    StoreOptions options =
        StoreOptions.builder()
            .durability(Durability.BUFFERED)
            .policy("tiered,trigger=64")
            .blockCacheBytes(0)
            .build();
    try (Store store = TestStores.open(disk, options)) {
      for (int i = 0; i < KEYS; i++) {
        store.put(key(i), new byte[100]);
      }
      store.flush();
      for (int i = 0; i < KEYS - LEFT; i++) {
        store.delete(key(i));
      }
      store.flush();
      assertThat(reads(store, true, KEYS - LEFT)).isGreaterThan(FEW_READS);
      assertThat(reads(store, true, KEYS - LEFT)).isLessThan(FEW_READS);
      assertThat(reads(store, false, -1)).isLessThan(FEW_READS);
      for (int head = KEYS - LEFT; head < KEYS; head++) {
        assertThat(reads(store, true, head)).isLessThan(FEW_READS);
        store.delete(key(head));
        store.put(key(KEYS + head), new byte[100]);
        if (head % 10 == 0) {
          store.flush();
        }
      }
    }
  }
}
