// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.MemoryBudget.Role;
import io.coppice.io.MemDisk;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** However much memory cursors keep, writes go on. */
class CursorMemoryTest {

  private static final int MEBIBYTES = 16;
  private static final int ROUNDS = 30;

  @Test
  void writesGoOnWhileCursorsKeepMoreThanTheBudget() {
    Seeds.forEach(6, CursorMemoryTest::writeBesideCursors);
  }

  private static void writeBesideCursors(Random random) throws IOException {
    MemoryBudget memory = MemoryBudget.ofMebibytes(MEBIBYTES);
    int memtableBytes = random.nextBoolean() ? 64 << 10 : 4 << 20;
    StoreOptions options =
        StoreOptions.builder()
            .memory(memory)
            .memtableBytes(memtableBytes)
            .family("b", "leveled")
            .family("c", "tiered,trigger=4")
            .durability(Durability.BUFFERED)
            .build();
    List<Cursor> open = new ArrayList<>();
    int valueBytes = random.nextBoolean() ? 100 : 300 << 10;
    try (Store store = TestStores.open(new MemDisk(), options)) {
      try (Snapshot snapshot = store.snapshot()) {
        for (int i = 0; i < ROUNDS; i++) {
          WriteBatch batch = new WriteBatch();
          for (String name : List.of("default", "b", "c")) {
            Family family = store.family(name);
            byte[] key = {(byte) i};
            if (random.nextBoolean()) {
              family.put(key, new byte[valueBytes]);
            } else {
              batch.put(family, key, new byte[valueBytes]);
            }
          }
          store.write(batch);
          for (String name : List.of("default", "b", "c")) {
            Family family = store.family(name);
            boolean old = random.nextInt(4) == 0;
            open.add(old ? snapshot.cursor(family, KeyRange.all()) : family.cursor(KeyRange.all()));
          }
          if (random.nextInt(4) > 0) {
            store.flush();
          }
        }
      }
      if (valueBytes > 100) {
        assertThat(memory.usedBytes(Role.MEMTABLE)).isGreaterThan((long) MEBIBYTES << 20);
      }
      for (int i = 0; i < ROUNDS; i++) {
        for (String name : List.of("default", "b", "c")) {
          assertThat(store.family(name).get(new byte[] {(byte) i})).hasSize(valueBytes);
        }
      }
      open.forEach(Cursor::close);
      store.put(new byte[1], new byte[1]);
      store.flush();
      assertThat(memory.usedBytes()).isLessThanOrEqualTo((long) MEBIBYTES << 20);
    }
    assertThat(memory.usedBytes()).isZero();
  }
}
