// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.SearchScheme;
import io.coppice.io.MemDisk;
import io.coppice.io.ShuffledDisk;
import io.coppice.manifest.Lineage;
import io.coppice.manifest.Slice;
import io.coppice.manifest.VersionEdit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What lookups read of a forest of four levels with five runs each, every one over all keys, and
 * none in memory. A key lies in one run only, that of its number, counted from the newest.
 */
class SearchSchemeTest {

  private static final int LEVELS = 4;
  private static final int RUNS = 5;
  private static final int ALL = LEVELS * RUNS;
  private static final int WIDTH = 16;

  private ShuffledDisk disk;
  private Store store;

  @BeforeEach
  void plant() throws IOException {
    disk = new ShuffledDisk(new MemDisk(), 7, 100);
    StoreOptions options =
        StoreOptions.builder()
            .policy("split-forest,table_size=64KiB")
            .memory(MemoryBudget.ofMebibytes(16))
            .memtableBytes(1 << 20)
            .durability(Durability.NONE)
            .filterBits(0)
            .searchWidth(WIDTH)
            .build();
    store = Store.openPaused(disk, options);
    for (int run = ALL - 1; run >= 0; run--) {
      store.put(key(-1), value(run));
      store.put(key(run), value(run));
      store.put(key(1000), value(run));
      store.flush();
    }
    Lineage lineage = store.parts().families().defaultOne().lineage();
    List<Slice> slices = lineage.current().slices();
    for (int run = ALL - 1; run >= 0; run--) {
      int level = run / RUNS;
      if (level > 0) {
        long number = lineage.nextNumber();
        lineage.install(
            VersionEdit.builder()
                .addRun(level, number, Set.of())
                .moveSlice(slices.get(run).id(), level, number)
                .build());
      }
    }
    assertThat(lineage.current().levels()).hasSize(LEVELS);
    lineage.current().levels().forEach(level -> assertThat(level.runs()).hasSize(RUNS));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(8).putLong(1000 + number).array();
  }

  private static byte[] value(int run) {
    return ByteBuffer.allocate(4).putInt(run).array();
  }

  /** What a lookup of a key reads at once; it must be found unless it is not there. */
  private int reads(SearchScheme scheme, int number) {
    store.search(scheme);
    long before = store.stats().reads().batchReads();
    assertThat(store.get(key(number)))
        .as("%s of key %d", scheme, number)
        .isEqualTo(number < ALL ? value(number) : null);
    return (int) (store.stats().reads().batchReads() - before);
  }

  @Test
  void aFixedCountOfReadsIsInFlightWhereverTheKeyLies() {
    List<Integer> reads = new ArrayList<>();
    for (int number = 0; number <= ALL; number++) {
      reads.add(reads(SearchScheme.FIXED_COUNT, number));
    }
    // The window moves on by one block with each answer.
    for (int number = 0; number <= ALL; number++) {
      assertThat(reads.get(number))
          .as("reads of a key in run %d", number)
          .isEqualTo(Math.min(ALL, WIDTH + number));
    }
  }
}
