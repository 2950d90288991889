// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Family;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.entry.EntryBatch;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.TapDisk;
import io.coppice.load.DeterministicStore;
import io.coppice.policy.Plan;
import io.coppice.policy.observe.Decision;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** By how much merges fill the disk, looked at before each disk operation. */
class TransientSpaceTest {

  private static final int TABLE_BYTES = 32 << 10;
  private static final int FLUSHES = 36;
  private static final int KEYS = 4_000;
  private static final byte[] VALUE = new byte[200];

  private final MemDisk disk = new MemDisk();
  private long maxBytes;

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "leveled,fanout=3,l0_trigger=3,table_size=32KiB,cleaning_threshold=100; 12; true",
        "split-forest,fanout=3,table_size=32KiB,cleaning_threshold=100; 8; true",
        "delayed,fanout=3,l0_trigger=3,table_size=32KiB,cleaning_threshold=100,vct=6; 14; false"
      })
  void mergesStayWithinTheirTransientSpace(String policy, int tables, boolean canBeGentler)
      throws IOException, InterruptedException {
    long seed = Seeds.seed(11);
    Random random = Seeds.random(seed, policy.hashCode());
    long allowed = (long) tables * TABLE_BYTES;
    StoreOptions options =
        StoreOptions.builder()
            .policy(policy)
            .memory(MemoryBudget.ofMebibytes(32))
            .memtableBytes(1 << 20)
            .maxTransientSpace(allowed)
            .build();
    Store store = TestStores.openPaused(new TapDisk(disk, this::sample), options);
    int merges = 0;
    int gentler = 0;
    try {
      for (int i = 0; i < FLUSHES; i++) {
        flush(store, random);
        for (Plan plan = carryOutNext(store, seed);
            plan != null;
            plan = carryOutNext(store, seed)) {
          assertThat(plan.reason().cost().transientBytes())
              .as("%s", plan)
              .isLessThanOrEqualTo(allowed);
          if (plan instanceof Plan.Merge merge) {
            merges++;
            gentler += merge.cleaningThreshold() < 100 ? 1 : 0;
          }
        }
      }
    } finally {
      store.close();
    }
    assertThat(merges).as("merges").isGreaterThan(10);
    // Of shared tables nothing is released on the way, so the merges of delayed fit or do not
    // start.
    assertThat(gentler > 0).as("some merges had to be gentler").isEqualTo(canBeGentler);
  }

  @Test
  void largeValuesEndStepsSooner() throws IOException {
    long seed = Seeds.seed(13);
    Random random = Seeds.random(seed, 1);
    StoreOptions options =
        StoreOptions.builder()
            .policy("split-forest,fanout=3,table_size=4KiB,cleaning_threshold=8")
            .memory(MemoryBudget.ofMebibytes(32))
            .memtableBytes(1 << 20)
            .build();
    Store store = TestStores.openPaused(new TapDisk(disk, this::sample), options);
    int merges = 0;
    try {
      for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 20; j++) {
          // A table ends with the large value in it, and is three times as large as it should be.
          write(store, random, 4, VALUE);
          write(store, random, 1, new byte[12 << 10]);
        }
        TestStores.writes(store).flush();
        for (Plan plan = carryOutNext(store, seed);
            plan != null;
            plan = carryOutNext(store, seed)) {
          merges += plan instanceof Plan.Merge ? 1 : 0;
        }
      }
    } finally {
      store.close();
    }
    assertThat(merges).as("merges").isGreaterThan(1);
  }

  @Test
  void compactWaitsForTheSpaceThatMergesOfAnotherFamilyTake() throws IOException {
    long seed = Seeds.seed(12);
    Random random = Seeds.random(seed, 1);
    StoreOptions options =
        StoreOptions.builder()
            .policy("leveled,fanout=3,l0_trigger=3,table_size=32KiB,cleaning_threshold=100")
            .memory(MemoryBudget.ofMebibytes(32))
            .memtableBytes(1 << 20)
            .compactionSlots(2)
            .maxTransientSpace(12L * TABLE_BYTES)
            .build();
    try (DeterministicStore opened = DeterministicStore.open(disk, options, seed)) {
      Store store = opened.store();
      Family other = store.createFamily("other");
      int number = TestStores.versions(other).number();
      store.pauseCompaction();
      for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 1_500; j++) {
          store.put(key(random), VALUE);
          if (i < 2) {
            other.put(key(random), VALUE);
          }
        }
        store.flush();
      }
      Compactor compactor = TestStores.compactor(store);
      store.resumeCompaction();
      for (int i = 0; i < 1_000 && compactor.shape(0).runningPlans().isEmpty(); i++) {
        opened.workers().step("-merge-");
      }
      assertThat(compactor.shape(0).runningPlans()).as(Seeds.replay(getClass(), seed)).isNotEmpty();
      assertThat(compactor.shape(number).nonEmptyRunCount()).isEqualTo(2);
      other.compact();
      assertThat(compactor.shape(number).nonEmptyRunCount()).isEqualTo(1);
    }
  }

  private static byte[] key(Random random) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(random.nextInt(KEYS)).array();
  }

  private static void flush(Store store, Random random) throws InterruptedException {
    write(store, random, 400, VALUE);
    TestStores.writes(store).flush();
  }

  private static void write(Store store, Random random, int entries, byte[] value) {
    EntryBatch batch = new EntryBatch();
    for (int i = 0; i < entries; i++) {
      byte[] key = key(random);
      batch.put(key, 0, key.length, value, 0, value.length);
    }
    TestStores.writes(store).commit(batch, Durability.NONE);
  }

  /** Carries a plan out, which fills the disk as it forecasts at most; null if there is none. */
  private Plan carryOutNext(Store store, long seed) {
    long before = tableBytes();
    maxBytes = before;
    if (!TestStores.compactor(store).carryOutNext()) {
      return null;
    }
    sample();
    List<Decision> decisions = store.decisions();
    Plan plan = decisions.get(decisions.size() - 1).plan().orElseThrow();
    assertThat(maxBytes - before)
        .as("fills the disk more than forecast: %s; %s", plan, Seeds.replay(getClass(), seed))
        .isLessThanOrEqualTo(plan.reason().cost().transientBytes());
    return plan;
  }

  /** Called by every thread that changes the disk. */
  private synchronized void sample() {
    maxBytes = Math.max(maxBytes, tableBytes());
  }

  private long tableBytes() {
    long bytes = 0;
    for (String name : disk.list()) {
      if (FileKind.TABLE.numberOf(name).isPresent()) {
        try {
          bytes += disk.bytes(name).length;
        } catch (NoSuchFileException e) {
          // Another thread has just deleted it.
          continue;
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    return bytes;
  }
}
