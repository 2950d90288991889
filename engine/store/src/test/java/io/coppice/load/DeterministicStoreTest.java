// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import io.coppice.io.PowerDisk;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One seed decides what the background does, and when; and nothing is lost by it. */
class DeterministicStoreTest {

  private static final int WRITES = 3_600;

  private final NumberedWrites writes = new NumberedWrites(200);
  private final MemoryBudget memory = MemoryBudget.ofMebibytes(16);

  private StoreOptions options(String policy, int slots) {
    return StoreOptions.builder()
        .policy(policy)
        .memory(memory)
        .memtableBytes(64 << 10)
        .compactionSlots(slots)
        .durability(Durability.BUFFERED)
        .build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1",
        "leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=3",
        "delayed,fanout=2,l0_trigger=2,base_size=8KiB,table_size=4KiB,vct=7,vsmt=2"
      })
  void equalSeedsDoTheSameToTheDisk(String policy) throws IOException {
    long seed = Seeds.seed(3);
    List<String> first = trace(policy, seed);
    List<String> second = trace(policy, seed);
    for (int i = 0; i < Math.min(first.size(), second.size()); i++) {
      assertThat(second.get(i)).as("operation " + i).isEqualTo(first.get(i));
    }
    assertThat(second).hasSameSizeAs(first);
    assertThat(trace(policy, seed + 1)).as("another seed does something else").isNotEqualTo(first);
    assertThat(first).filteredOn(line -> line.startsWith("delete")).hasSizeGreaterThan(50);
    assertThat(memory.usedBytes()).isZero();
  }

  private List<String> trace(String policy, long seed) throws IOException {
    Random random = new Random(seed);
    List<String> trace = new ArrayList<>();
    PowerDisk disk = new PowerDisk(new MemDisk(), trace::add);
    try (DeterministicStore store = DeterministicStore.open(disk, options(policy, 2), seed)) {
      for (int number = 0; number < WRITES; number++) {
        writes.write(store.store(), number, durability(number));
        while (random.nextInt(3) == 0) {
          store.step();
        }
      }
      assertThat(NumberedWrites.same(NumberedWrites.contents(store.store()), writes.after(WRITES)))
          .isTrue();
    }
    return trace;
  }

  private static Durability durability(long number) {
    return number % 7 == 0 ? Durability.SYNC : Durability.BUFFERED;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1",
        "grouped,groups=2,table_size=4KiB,cleaning_threshold=2"
      })
  void aStoreThatCrashesAgainAndAgainKeepsEverySyncedWrite(String policy) throws IOException {
    long seed = Seeds.seed(5);
    Random random = Seeds.random(seed, policy.hashCode());
    MemDisk disk = new MemDisk();
    long written = 0;
    for (int life = 0; life < 30; life++) {
      DeterministicStore store =
          DeterministicStore.open(disk, options(policy, 1 + life % 2), seed + life);
      String what = "life " + life + ", " + Seeds.replay(getClass(), seed);
      long synced = written;
      store.disk().cutBefore(1 + random.nextInt(600));
      try {
        while (!store.off()) {
          Durability durability = durability(written);
          writes.write(store.store(), written, durability);
          written++;
          synced = durability == Durability.SYNC ? written : synced;
          for (int i = random.nextInt(3); i > 0; i--) {
            store.step();
          }
        }
      } catch (RuntimeException e) {
        assertThat(store.off()).as(what + ": " + e).isTrue();
      }
      // The write that failed may be there, too.
      written = kept(disk = store.crash(random), synced, written + 1, policy, what);
    }
    assertThat(written).isGreaterThan(100);
    assertThat(memory.usedBytes()).isZero();
  }

  /** How many writes are there, which is no fewer than were synced. */
  private long kept(MemDisk disk, long least, long most, String policy, String what)
      throws IOException {
    try (DeterministicStore store = DeterministicStore.open(disk.kill(), options(policy, 1), 0)) {
      NavigableMap<byte[], byte[]> shown = NumberedWrites.contents(store.store());
      NavigableMap<byte[], byte[]> model = writes.after(least);
      for (long prefix = least; prefix < most; prefix++) {
        if (NumberedWrites.same(shown, model)) {
          return prefix;
        }
        writes.apply(model, prefix);
      }
      assertThat(NumberedWrites.same(shown, model)).as(what).isTrue();
      return most;
    }
  }
}
