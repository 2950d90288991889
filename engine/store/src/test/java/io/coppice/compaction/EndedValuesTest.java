// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import io.coppice.load.DeterministicStore;
import io.coppice.load.NumberedWrites;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.SliceFacts;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Time alone makes every policy remove values that are past their end, also after reopening. */
class EndedValuesTest {

  private static final int CASES_PER_POLICY = 4;
  private static final long MINUTE_NANOS = 61_000_000_000L;
  private static final int MAX_SECONDS = 600;

  private final AtomicLong now = new AtomicLong(1_700_000_000_000L);

  private StoreOptions options(String policy) {
    return TestStores.clock(StoreOptions.builder(), now::get)
        .policy(policy)
        .memory(MemoryBudget.ofMebibytes(16))
        .memtableBytes(64 << 10)
        .durability(Durability.NONE)
        .build();
  }

  private void passSeconds(DeterministicStore opened, long seconds) {
    now.addAndGet(seconds * 1_000);
    opened.workers().pass(MINUTE_NANOS);
    opened.settle();
  }

  private static long tableBytes(DeterministicStore opened) {
    opened.settle();
    return TestStores.versions(opened.store().family("default")).current().tableBytes();
  }

  static Stream<String> policies() {
    return TableSizeLawTest.policies();
  }

  @Test
  void anIdleStoreRemovesWhatHasEndedAndSoDoesAReopenedOne() throws IOException {
    for (boolean reopened : new boolean[] {false, true}) {
      MemDisk disk = new MemDisk();
      StoreOptions options = options("split-forest");
      try (DeterministicStore opened = DeterministicStore.open(disk, options, 1)) {
        for (int i = 0; i < 2_000; i++) {
          opened.store().put(NumberedWrites.key(i), new byte[200], Duration.ofSeconds(1));
        }
        opened.store().flush();
        assertThat(tableBytes(opened)).isGreaterThan(400_000);
        if (!reopened) {
          passSeconds(opened, 5);
          assertThat(tableBytes(opened)).isZero();
        }
      }
      now.addAndGet(5_000);
      disk = disk.kill();
      try (DeterministicStore opened = DeterministicStore.open(disk, options, 2)) {
        opened.workers().pass(MINUTE_NANOS);
        assertThat(tableBytes(opened)).as("after reopening").isZero();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("policies")
  void timeRemovesWhatHasEndedAndNothingElse(String policy) {
    Seeds.forEach(
        CASES_PER_POLICY,
        random -> {
          random.setSeed(random.nextLong() + policy.hashCode());
          MemDisk disk = new MemDisk();
          boolean allEnd = random.nextBoolean();
          Map<Integer, Long> ends = new HashMap<>();
          DeterministicStore opened = DeterministicStore.open(disk, options(policy), 1);
          try {
            for (int round = 0; round < 6; round++) {
              write(opened.store(), random, allEnd, ends);
              passSeconds(opened, random.nextInt(MAX_SECONDS / 4));
              if (random.nextInt(3) == 0) {
                opened.store().flush();
                opened.close();
                disk = disk.kill();
                opened = DeterministicStore.open(disk, options(policy), round);
                passSeconds(opened, 0);
              }
              check(opened, ends);
            }
            opened.store().flush();
            for (int i = 0; i < 8; i++) {
              passSeconds(opened, MAX_SECONDS / 4);
              check(opened, ends);
            }
            long steps = opened.store().stats().mergeSteps();
            passSeconds(opened, MAX_SECONDS);
            assertThat(opened.store().stats().mergeSteps()).as("at rest").isEqualTo(steps);
            if (allEnd) {
              assertThat(tableBytes(opened)).as("all has ended").isZero();
            }
          } finally {
            opened.close();
          }
        });
  }

  private void write(Store store, Random random, boolean allEnd, Map<Integer, Long> ends) {
    for (int i = random.nextInt(400); i > 0; i--) {
      int key = random.nextInt(1_000);
      byte[] value = new byte[random.nextInt(400)];
      if (allEnd || random.nextInt(4) > 0) {
        int seconds = 1 + random.nextInt(MAX_SECONDS);
        store.put(NumberedWrites.key(key), value, Duration.ofSeconds(seconds));
        ends.put(key, now.get() + seconds * 1_000L);
      } else {
        store.put(NumberedWrites.key(key), value);
        ends.put(key, Long.MAX_VALUE);
      }
    }
  }

  /** Every key is there until its end; no table of the tree is mostly past its end. */
  private void check(DeterministicStore opened, Map<Integer, Long> ends) {
    Compactor compactor = TestStores.compactor(opened.store());
    for (LevelFacts level : compactor.shape(0).levels()) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          for (SliceFacts slice : segment.slices()) {
            assertThat(2 * slice.ended()).as("%s", slice).isLessThan(Math.max(1, slice.bytes()));
          }
        }
      }
    }
    assertThat(compactor.backlog(0).plans()).isZero();
    List<Integer> wrong = new ArrayList<>();
    ends.forEach(
        (key, end) -> {
          if (opened.store().get(NumberedWrites.key(key)) != null != end > now.get()) {
            wrong.add(key);
          }
        });
    assertThat(wrong).isEmpty();
  }
}
