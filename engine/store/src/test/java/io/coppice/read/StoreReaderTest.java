// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.SearchScheme;
import io.coppice.load.SpreadRuns;
import io.coppice.testing.Seeds;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A store answers alike, whatever reads its blocks. */
class StoreReaderTest {

  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({
    "serial,false,mmap", "pool,false,mmap", "pool,true,read",
    "ring,false,mmap", "ring,true,read", "auto,true,mmap"
  })
  void lookupsOfFilesNotYetInMemoryFindTheNewest(String reader, boolean direct, String io) {
    SpreadRuns.fill(directory.resolve("data"), SpreadRuns.options().build());
    Random random = Seeds.random(Seeds.seed(11), 0);
    for (SearchScheme scheme : SearchScheme.values()) {
      StoreOptions options =
          SpreadRuns.options().reader(reader).directReads(direct).io(io).search(scheme).build();
      try (Store store = open(options)) {
        if (store != null) {
          lookUp(store, random);
          assertThat(store.stats().reader()).contains(reader.equals("auto") ? "=" : reader);
          assertThat(store.stats().reads().batches() > 0).isEqualTo(scheme != SearchScheme.SERIAL);
        }
      }
    }
  }

  private static void lookUp(Store store, Random random) {
    for (int i = 0; i < 300; i++) {
      int key = random.nextInt(SpreadRuns.KEYS);
      boolean interrupted = i % 50 == 0;
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      assertThat(store.get(SpreadRuns.key(key)))
          .as(Seeds.replay(StoreReaderTest.class, 11))
          .isEqualTo(SpreadRuns.value(key));
      assertThat(Thread.interrupted()).isEqualTo(interrupted);
    }
  }

  /** Null where rings cannot be had, which has to be said. */
  private Store open(StoreOptions options) {
    try {
      return Store.open(directory.resolve("data"), options);
    } catch (InvalidOptionsException e) {
      assertThat(e).hasMessageContaining("reader (ring) does not work here: ");
      return null;
    }
  }

  @Test
  void theLedgerIsEmptyAfterwards() {
    SpreadRuns.fill(directory.resolve("data"), SpreadRuns.options().build());
    MemoryBudget memory = MemoryBudget.ofMebibytes(24);
    try (Store store =
        Store.open(
            directory.resolve("data"),
            SpreadRuns.options().memory(memory).reader("pool").build())) {
      store.search(SearchScheme.FIXED_COUNT);
      for (int key = 0; key < 500; key++) {
        assertThat(store.get(SpreadRuns.key(key))).isNotNull();
      }
      assertThat(memory.usedBytes(MemoryBudget.Role.READ)).isPositive();
    }
    assertThat(memory.usedBytes()).isZero();
  }
}
