// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import io.coppice.load.NumberedWrites;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables of tiny entries are full by their number of keys long before they are by their bytes. */
class TinyEntriesTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "split-forest,fanout=2,table_size=16KiB",
        "leveled,fanout=2,l0_trigger=2,table_size=16KiB",
        "tiered,trigger=4,table_size=16KiB",
        "grouped,groups=2,table_size=16KiB",
        "delayed,fanout=2,l0_trigger=2,base_size=32KiB,table_size=16KiB",
        "lazy-binomial,k=2,table_size=16KiB"
      })
  void compactionOfTinyEntriesComesToAnEnd(String policy) throws IOException {
    StoreOptions options =
        StoreOptions.builder()
            .policy(policy)
            .memory(MemoryBudget.ofMebibytes(16))
            .memtableBytes(64 << 10)
            .durability(Durability.NONE)
            .build();
    try (Store store = TestStores.open(new MemDisk(), options)) {
      for (int i = 0; i < 12_000; i++) {
        store.put(NumberedWrites.key(i * 7919 % 12_000), new byte[] {1});
      }
      store.flush();
      store.awaitIdle();
      assertThat(store.stats().mergedBytes()).isLessThan(30 * store.stats().flushedBytes());
      store.compact();
      store.awaitIdle();
    }
  }
}
