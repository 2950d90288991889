// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Family;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import io.coppice.load.NumberedWrites;
import io.coppice.policy.Plan;
import io.coppice.policy.observe.Decision;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class FamilyFairnessTest {

  private static final String POLICY = "tiered,trigger=4,table_size=4KiB,cleaning_threshold=1";

  @Test
  void aGreedyFamilyDoesNotKeepAnotherFromItsMerges() throws IOException {
    StoreOptions options =
        StoreOptions.builder()
            .policy(POLICY)
            .family("greedy", POLICY)
            .family("modest", POLICY)
            .memory(MemoryBudget.ofMebibytes(32))
            .memtableBytes(64 << 10)
            .durability(Durability.NONE)
            .build();
    try (Store store = TestStores.openPaused(new MemDisk(), options)) {
      for (int round = 0; round < 12; round++) {
        // The greedy one always has more to merge than the single merge that is carried out.
        for (int i = 0; i < 3; i++) {
          fill(store.family("greedy"), 200);
          store.flush();
        }
        if (round % 3 == 0) {
          fill(store.family("modest"), 40);
          store.flush();
        }
        TestStores.compactor(store).carryOutNext();
      }
      int waited = 0;
      int most = 0;
      int modestMerges = 0;
      for (Decision decision : store.decisions()) {
        boolean merge = decision.plan().orElse(null) instanceof Plan.Merge;
        if (decision.family().equals("modest")) {
          modestMerges += merge ? 1 : 0;
          waited = 0;
        } else if (merge) {
          most = Math.max(most, ++waited);
        }
      }
      assertThat(modestMerges).as("merges of the modest family").isPositive();
      assertThat(most).as("merges of others before the modest family is asked").isLessThan(4);
    }
  }

  private static void fill(Family family, int entries) {
    for (int i = 0; i < entries; i++) {
      family.put(NumberedWrites.key(i), new byte[100]);
    }
  }
}
