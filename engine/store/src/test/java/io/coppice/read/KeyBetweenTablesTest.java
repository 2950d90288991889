// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.SearchScheme;
import io.coppice.io.MemDisk;
import io.coppice.io.ShuffledDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A key between the tables of a run, in a version with an index. */
class KeyBetweenTablesTest {

  private ShuffledDisk disk;

  private Store open() throws IOException {
    disk = new ShuffledDisk(new MemDisk(), 7, 100);
    StoreOptions options =
        StoreOptions.builder()
            .policy("split-forest,table_size=64KiB")
            .memory(MemoryBudget.ofMebibytes(16))
            .memtableBytes(1 << 20)
            .durability(Durability.NONE)
            .filterBits(0)
            .blockCacheBytes(0)
            .build();
    Store store = TestStores.open(disk, options);
    store.pauseCompaction();
    for (int number : new int[] {0, 400, 1000}) {
      store.put(key(number), key(number));
    }
    store.flush();
    store.put(key(500), key(1));
    store.put(key(600), key(1));
    store.flush();
    TestStores.reader(store.family("default")).indexAfter(1);
    return store;
  }

  @ParameterizedTest
  @EnumSource(SearchScheme.class)
  void aTableThatBeginsAfterTheKeyIsNotRead(SearchScheme scheme) throws IOException {
    try (Store store = open()) {
      store.search(scheme);
      assertThat(store.get(key(400))).isEqualTo(key(400));
      assertThat(store.stats().reads().blocks()).as("blocks").isEqualTo(1);
      assertThat(store.stats().reads().tables()).as("tables").isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(SearchScheme.class)
  void aFailingTableThatBeginsAfterTheKeyDecidesNothing(SearchScheme scheme) throws IOException {
    try (Store store = open()) {
      store.search(scheme);
      long newest =
          TestStores.versions(store.family("default")).current().slices().get(0).table().number();
      disk.fail((name, offset) -> name.startsWith(String.format("%06d", newest)));
      assertThat(store.get(key(400))).isEqualTo(key(400));
    }
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(8).putLong(1000 + number).array();
  }
}
