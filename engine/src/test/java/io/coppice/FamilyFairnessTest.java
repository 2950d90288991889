// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import io.coppice.policy.Decision;
import io.coppice.policy.Plan;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class FamilyFairnessTest {

  private static final String POLICY = "tiered,table_size=4KiB,cleaning_threshold=1";

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
    try (Store store = Store.openPaused(new MemDisk(), options)) {
      long greedyBytes = 0;
      long most = 0;
      for (int round = 0; round < 30; round++) {
        // The greedy one always has more to merge than the single merge that is carried out.
        for (int i = 0; i < 4; i++) {
          fill(store.family("greedy"), 200);
          store.flush();
        }
        if (round % 3 == 0) {
          fill(store.family("modest"), 40);
          store.flush();
        }
        store.parts().compactor().carryOutNext();
      }
      List<Decision> made = store.decisions().stream().filter(d -> d.plan().isPresent()).toList();
      long modestMerges = made.stream().filter(d -> d.family().equals("modest")).count();
      assertThat(modestMerges).as("merges of the modest family").isPositive();
      int waited = 0;
      for (Decision decision : store.decisions()) {
        if (decision.family().equals("modest")) {
          waited = 0;
        } else if (decision.plan().orElse(null) instanceof Plan.Merge) {
          waited++;
        }
        most = Math.max(most, waited);
        greedyBytes += decision.family().equals("greedy") ? 1 : 0;
      }
      assertThat(greedyBytes).as("decisions about the greedy family").isGreaterThan(10);
      assertThat(most).as("merges of others before the modest family is asked").isLessThan(4);
    }
  }

  private static void fill(Family family, int entries) {
    for (int i = 0; i < entries; i++) {
      family.put(NumberedWrites.key(i), new byte[100]);
    }
  }
}
