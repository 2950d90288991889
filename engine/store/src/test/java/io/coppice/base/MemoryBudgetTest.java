// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.MemoryBudget.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {

  @Test
  void reservesAllOrNothing() {
    MemoryBudget budget = MemoryBudget.ofBytes(100);
    assertThat(budget.tryReserve(Role.MEMTABLE, 60)).isTrue();
    assertThat(budget.tryReserve(Role.FILTER, 41)).isFalse();
    assertThat(budget.tryReserve(Role.FILTER, 40)).isTrue();
    assertThat(budget.tryReserve(Role.CACHE, 1)).isFalse();
    assertThat(budget.tryReserve(Role.CACHE, Long.MAX_VALUE)).isFalse();
    assertThat(budget.tryReserve(Role.CACHE, 0)).isTrue();
    assertThat(budget.usedBytes()).isEqualTo(100);
    assertThat(budget.usedBytes(Role.MEMTABLE)).isEqualTo(60);
    budget.release(Role.MEMTABLE, 60);
    assertThat(budget.usedBytes()).isEqualTo(40);
    assertThat(budget.usedBytes(Role.FILTER)).isEqualTo(40);
  }

  @Test
  void whatStaysLeavesMemtablesWhatTheyHaveClaimed() {
    MemoryBudget budget = MemoryBudget.ofBytes(100);
    budget.claimForMemtables(50);
    budget.claimForMemtables(20);
    assertThat(budget.tryReserve(Role.INDEX, 31)).isFalse();
    assertThat(budget.tryReserve(Role.INDEX, 10)).isTrue();
    assertThat(budget.tryReserve(Role.MEMTABLE, 60)).isTrue();
    assertThat(budget.roomBytes(Role.FILTER)).isEqualTo(20);
    assertThat(budget.tryReserve(Role.FILTER, 20)).isTrue();
    assertThat(budget.tryReserve(Role.CACHE, 1)).isFalse();
    assertThat(budget.tryReserve(Role.READ, 10)).as("what is given back at once").isTrue();
    budget.claimForMemtables(-70);
    assertThat(budget.roomBytes(Role.CACHE)).isZero();
  }

  @Test
  void aCapacityMustBePositive() {
    assertThatThrownBy(() -> MemoryBudget.ofBytes(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("capacityBytes (0)");
    assertThat(MemoryBudget.ofMebibytes(3).capacityBytes()).isEqualTo(3 << 20);
  }

  /** Lets readers give back what they keep in the middle of a reservation. */
  private static final class GivingBack implements MemoryBudget.Gate {
    private MemoryBudget budget;
    private boolean armed;

    @Override
    public boolean lets(Role role, long bytes) {
      return true;
    }

    @Override
    public void between() {
      if (armed) {
        budget.keepForReaders(-40);
        budget.release(Role.MEMTABLE, 40);
      }
    }
  }

  @Test
  void whatReadersGiveBackIsNotTakenTwice() {
    GivingBack gate = new GivingBack();
    MemoryBudget budget = new MemoryBudget(100, gate);
    gate.budget = budget;
    assertThat(budget.tryReserve(Role.READ, 60)).isTrue();
    assertThat(budget.tryReserve(Role.MEMTABLE, 40)).isTrue();
    budget.keepForReaders(40);
    gate.armed = true;
    assertThat(budget.tryReserve(Role.MEMTABLE, 50)).as("60 bytes stay in use").isFalse();
    gate.armed = false;
    assertThat(budget.tryReserve(Role.MEMTABLE, 40)).isTrue();
    assertThat(budget.usedBytes()).isEqualTo(100);
  }

  @Test
  void threadsTogetherNeverExceedIt() throws Exception {
    MemoryBudget budget = MemoryBudget.ofBytes(1_000);
    ExecutorService pool = Executors.newFixedThreadPool(3);
    try {
      List<Future<?>> threads = new ArrayList<>();
      for (int seed = 0; seed < 3; seed++) {
        Random random = new Random(seed);
        threads.add(pool.submit(() -> reserveAndRelease(budget, random)));
      }
      for (Future<?> thread : threads) {
        thread.get();
      }
    } finally {
      pool.shutdown();
    }
    assertThat(budget.usedBytes()).isZero();
    for (Role role : Role.values()) {
      assertThat(budget.usedBytes(role)).isZero();
    }
  }

  private static void reserveAndRelease(MemoryBudget budget, Random random) {
    for (int i = 0; i < 20_000; i++) {
      Role role = Role.values()[random.nextInt(Role.values().length)];
      int bytes = random.nextInt(600);
      if (budget.tryReserve(role, bytes)) {
        assertThat(budget.usedBytes()).isBetween((long) bytes, 1_000L);
        budget.release(role, bytes);
      }
    }
  }
}
