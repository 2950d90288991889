// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.Seeds;
import io.coppice.io.MemDisk;
import io.coppice.io.TapDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Cuts the power before disk operations of a store at work (log, flush, merge steps, cleaning) and
 * before those of the recovery that follows. Whatever is found then is the state after some number
 * of writes, and no synced write is missing: so outputs must be synced before the edit that names
 * them, and the edit before anything is removed. {@code -Dcrashes=N} sets how many per policy.
 */
class StoreCrashTest {

  private static final int CRASHES = Integer.getInteger("crashes", 250);
  private static final int WRITES = 5_000;

  private final NumberedWrites writes = new NumberedWrites(150);
  private final AtomicLong submitted = new AtomicLong();
  private final AtomicLong synced = new AtomicLong();
  private final List<Throwable> problems = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger states = new AtomicInteger();

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1; 1.0",
        "leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=3; 1.0",
        "delayed,fanout=2,l0_trigger=2,base_size=8KiB,table_size=4KiB,cleaning_threshold=1,vct=7,vsmt=2; 0.4",
        "tiered,table_size=4KiB,cleaning_threshold=1; 0.2",
        "grouped,groups=2,table_size=4KiB,cleaning_threshold=1; 0.2",
        "lazy-binomial,k=2,table_size=4KiB,cleaning_threshold=1; 0.2"
      })
  void aPowerLossLeavesAPrefixWithEverySyncedWrite(String policy, double share) throws IOException {
    long seed = Seeds.seed(42);
    Random random = Seeds.random(seed, policy.hashCode());
    LongRun run = new LongRun(getClass(), seed);
    MemDisk disk = new MemDisk();
    AtomicLong operations = new AtomicLong();
    int crashes = (int) (CRASHES * share);
    int every = Math.max(1, 14_000 / crashes);
    Runnable tap =
        () -> {
          if (operations.incrementAndGet() % every == 0 && problems.isEmpty()) {
            long least = synced.get();
            MemDisk after;
            synchronized (random) {
              after = random.nextBoolean() ? disk.crash() : disk.crash(random);
            }
            verify(after, least, submitted.get(), policy, 1 + (int) (operations.get() % 2));
          }
        };
    try (Store store = Store.open(new TapDisk(disk, tap), options(policy))) {
      for (int number = 0; number < WRITES && problems.isEmpty(); number++) {
        submitted.set(number + 1);
        Durability durability = number % 4 == 0 ? Durability.SYNC : Durability.BUFFERED;
        writes.write(store, number, durability);
        if (durability == Durability.SYNC) {
          synced.set(number + 1);
        }
        // Reads make a policy merge, too.
        store.get(NumberedWrites.key(writes.keyOf(number * 7L)));
      }
    }
    assertThat(problems).as(Seeds.replay(getClass(), seed)).isEmpty();
    assertThat(states.get()).as("crash states looked at").isGreaterThan(crashes / 3);
    run.passed(policy, Map.of("states", (long) states.get(), "wrong", 0L));
  }

  /** Opens what a crash left; at a greater depth, crashes inside the recovery first. */
  private void verify(MemDisk disk, long least, long most, String policy, int depth) {
    states.incrementAndGet();
    try {
      if (depth > 1) {
        List<MemDisk> again = new ArrayList<>();
        AtomicInteger operations = new AtomicInteger();
        Runnable tap =
            () -> {
              if (operations.incrementAndGet() % 9 == 0) {
                again.add(disk.crash());
              }
            };
        Store.open(new TapDisk(disk, tap), options(policy)).close();
        for (MemDisk second : again) {
          verify(second, least, most, policy, depth - 1);
        }
      }
      try (Store store = Store.open(disk.crash(), options(policy))) {
        NavigableMap<byte[], byte[]> shown = NumberedWrites.contents(store);
        NavigableMap<byte[], byte[]> model = writes.after(least);
        for (long prefix = least; ; prefix++) {
          if (NumberedWrites.same(shown, model)) {
            return;
          }
          assertThat(prefix)
              .as("no prefix of " + least + " to " + most + " writes is what the store shows")
              .isLessThan(most);
          writes.apply(model, prefix);
        }
      }
    } catch (Throwable e) {
      problems.add(e);
    }
  }

  private static StoreOptions options(String policy) {
    return StoreOptions.builder()
        .policy(policy)
        .memory(MemoryBudget.ofMebibytes(16))
        .memtableBytes(64 << 10)
        .build();
  }
}
