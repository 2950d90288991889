// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import io.coppice.io.TapDisk;
import io.coppice.load.FamilyLoad;
import io.coppice.testing.LongRun;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Cuts the power before disk operations of a store whose families are written to together, come and
 * go, and before those of the recovery that follows. What is found then is the state after some
 * number of operations: a batch is in all its families or in none, a family that came or went did
 * so for good, and nothing of a dropped one is there again. {@code -Dcrashes=N} sets how many.
 */
class FamilyCrashTest {

  private static final int CRASHES = Integer.getInteger("crashes", 250);
  private static final int OPERATIONS = 4_000;

  private final AtomicInteger submitted = new AtomicInteger();
  private final AtomicInteger synced = new AtomicInteger();
  private final List<Throwable> problems = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger states = new AtomicInteger();
  private FamilyLoad load;

  @Test
  void aPowerLossLeavesAPrefixOfAllFamiliesTogether() throws IOException {
    long seed = Seeds.seed(7);
    Random random = Seeds.random(seed, 1);
    load = new FamilyLoad(Seeds.random(seed, 2), OPERATIONS, 60, 300);
    LongRun run = new LongRun(getClass(), seed);
    MemDisk disk = new MemDisk();
    AtomicLong operations = new AtomicLong();
    int every = Math.max(1, 14_000 / CRASHES);
    Runnable tap =
        () -> {
          if (operations.incrementAndGet() % every == 0 && problems.isEmpty()) {
            int least = synced.get();
            MemDisk after;
            synchronized (random) {
              after = random.nextBoolean() ? disk.crash() : disk.crash(random);
            }
            verify(after, least, submitted.get(), 1 + (int) (operations.get() % 2));
          }
        };
    try (Store store = TestStores.open(new TapDisk(disk, tap), options())) {
      for (int number = 0; number < load.count() && problems.isEmpty(); number++) {
        submitted.set(number + 1);
        Durability durability = number % 4 == 0 ? Durability.SYNC : Durability.BUFFERED;
        load.carryOut(store, number, durability);
        if (durability == Durability.SYNC || load.synced(number)) {
          synced.set(number + 1);
        }
      }
    }
    assertThat(problems).as(Seeds.replay(getClass(), seed)).isEmpty();
    assertThat(states.get()).as("crash states looked at").isGreaterThan(CRASHES / 3);
    run.passed("families", Map.of("states", (long) states.get(), "wrong", 0L));
  }

  /** Opens what a crash left; at a greater depth, crashes inside the recovery first. */
  private void verify(MemDisk disk, int least, int most, int depth) {
    states.incrementAndGet();
    try {
      if (depth > 1) {
        List<MemDisk> again = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger operations = new AtomicInteger();
        Runnable tap =
            () -> {
              if (operations.incrementAndGet() % 9 == 0) {
                again.add(disk.crash());
              }
            };
        TestStores.open(new TapDisk(disk, tap), options()).close();
        for (MemDisk second : again) {
          verify(second, least, most, depth - 1);
        }
      }
      try (Store store = TestStores.open(disk.crash(), options())) {
        FamilyLoad.State shown = FamilyLoad.contents(store);
        FamilyLoad.State model = load.after(least);
        for (int prefix = least; ; prefix++) {
          if (shown.same(model)) {
            return;
          }
          assertThat(prefix)
              .as(
                  "no prefix of "
                      + least
                      + " to "
                      + most
                      + " operations is what is shown: "
                      + shown)
              .isLessThan(most);
          load.apply(model, prefix);
        }
      }
    } catch (Throwable e) {
      problems.add(e);
    }
  }

  private static StoreOptions options() {
    return StoreOptions.builder()
        .policy("split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1")
        .memory(MemoryBudget.ofMebibytes(24))
        .memtableBytes(48 << 10)
        .compactionSlots(2)
        .build();
  }
}
