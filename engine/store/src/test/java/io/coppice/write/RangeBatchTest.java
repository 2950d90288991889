// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Limits;
import io.coppice.io.MemDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** One batch of many range deletions that overlap costs what as many single calls cost. */
class RangeBatchTest {

  private static final int RANGES = 20_000;

  private final MemDisk disk = new MemDisk();

  @Test
  void aBatchOfOverlappingRangesIsWrittenRecoveredAndFlushed() throws IOException {
    WriteBatch batch = new WriteBatch();
    for (int i = 1; i <= RANGES; i++) {
      batch.deleteRange(key(RANGES - i), key(RANGES + 1));
    }
    MemDisk killed;
    try (Store store = TestStores.open(disk, StoreOptions.builder().build())) {
      store.put(key(3), key(3));
      store.put(key(RANGES + 2), key(3));
      try (Snapshot before = store.snapshot()) {
        store.write(batch);
        assertThat(before.get(key(3))).isEqualTo(key(3));
        check(store);
        killed = disk.kill();
        store.flush();
        assertThat(before.get(key(3))).isEqualTo(key(3));
      }
      check(store);
    }
    try (Store store = TestStores.open(killed, StoreOptions.builder().build())) {
      check(store);
      store.flush();
      check(store);
    }
  }

  private static void check(Store store) {
    assertThat(store.get(key(3))).isNull();
    assertThat(store.get(key(RANGES + 2))).isEqualTo(key(3));
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      cursor.first();
      assertThat(cursor.key()).isEqualTo(key(RANGES + 2));
    }
  }

  @Test
  void aBatchRefusesMoreRangesThanOpeningHasMemoryFor() {
    WriteBatch batch = new WriteBatch();
    for (int i = 0; i < Limits.MAX_BATCH_RANGES; i++) {
      batch.deleteRange(key(i), key(i + 1));
    }
    assertThatThrownBy(() -> batch.deleteRange(key(0), key(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("32768 range deletions");
    batch.clear();
    assertThat(batch.deleteRange(key(0), key(1)).count()).isOne();
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }
}
