// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.ReadStats;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.StoreStats;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.LimitedBudget;
import io.coppice.base.MemoryBudget;
import io.coppice.base.SearchScheme;
import io.coppice.crash.LastBytes;
import io.coppice.io.MemDisk;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Filters of a store as lookups see them. {@code -Dseed=…} repeats a failure. */
class StoreFiltersTest {

  private static final long SEED = Seeds.seed(20261121);
  private static final int KEYS = 12_000;

  private final Random random = Seeds.random(SEED, 0);

  private static StoreOptions.Builder options(MemoryBudget memory) {
    return StoreOptions.builder()
        .policy("split-forest,fanout=4,table_size=8KiB")
        .memory(memory)
        .memtableBytes(16 << 10)
        .durability(Durability.NONE);
  }

  /** Five runs with an operand each, and five whose keys lie on both sides. */
  @ParameterizedTest
  @EnumSource(SearchScheme.class)
  void whatIsGatheredCountsEachTableOnceAndNoFilterIsBlamed(SearchScheme scheme)
      throws IOException {
    StoreOptions options =
        options(MemoryBudget.ofMebibytes(8)).mergeOperator(new LastBytes()).search(scheme).build();
    try (Store store = TestStores.open(new MemDisk(), options)) {
      store.pauseCompaction();
      for (int run = 0; run < 5; run++) {
        store.put(key(1), new byte[] {1});
        store.put(key(9), new byte[] {1});
        store.flush();
        store.merge(key(5), new byte[] {(byte) run});
        store.flush();
      }
      assertThat(store.get(key(5))).containsExactly(0, 1, 2, 3, 4);
      ReadStats reads = store.stats().reads();
      assertThat(reads.lookups()).isOne();
      assertThat(reads.tables()).isEqualTo(5);
      assertThat(reads.truePositives()).isEqualTo(5);
      assertThat(reads.falsePositives()).isZero();
    }
  }

  @Test
  void noAnswerIsWrongWhileFiltersLeaveAndComeBackUnderReaders() throws Exception {
    // All filters take about 15 KiB.
    MemoryBudget memory = LimitedBudget.of(32 << 20, MemoryBudget.Role.FILTER, 9 << 10);
    AtomicIntegerArray written = new AtomicIntegerArray(KEYS);
    AtomicBoolean stop = new AtomicBoolean();
    ExecutorService readers = Executors.newFixedThreadPool(3);
    MemDisk disk = new MemDisk();
    StoreOptions options = options(memory).compactionSlots(2).build();
    try (Store store = TestStores.open(disk, options)) {
      List<Future<Integer>> futures = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Random own = Seeds.random(SEED, i + 1);
        futures.add(readers.submit(() -> read(store, written, stop, own)));
      }
      for (int round = 1; round <= 5; round++) {
        for (int i = 0; i < KEYS; i++) {
          int key = random.nextInt(KEYS);
          store.put(key(key), ByteBuffer.allocate(24).putInt(round).array());
          written.set(key, round);
        }
        // A cursor keeps what filters hold until it is closed.
        try (Cursor cursor = store.cursor(KeyRange.all())) {
          cursor.first();
          store.flush();
          store.awaitIdle();
        }
      }
      stop.set(true);
      for (Future<Integer> reader : futures) {
        assertThat(reader.get()).as("seed " + SEED).isPositive();
      }
      // Other threads now release the tables of the last cursor and load filters again.
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
      StoreStats.FilterStats filters;
      long used;
      do {
        Thread.onSpinWait();
        used = memory.usedBytes(MemoryBudget.Role.FILTER);
        filters = store.stats().filters();
      } while (filters.bytes() != used && System.nanoTime() < end);
      assertThat(filters.evictions()).isPositive();
      assertThat(filters.loaded()).isPositive();
      assertThat(filters.absent()).isPositive();
      assertThat(filters.bytes()).isEqualTo(used);
    } finally {
      stop.set(true);
      readers.shutdown();
    }
    assertThat(memory.usedBytes()).isZero();
    assertThat(disk.openFiles()).isZero();
  }

  private static int read(
      Store store, AtomicIntegerArray written, AtomicBoolean stop, Random random) {
    int read = 0;
    while (!stop.get()) {
      int key = random.nextInt(KEYS);
      int least = written.get(key);
      byte[] value = store.get(key(key));
      int found = value == null ? 0 : ByteBuffer.wrap(value).getInt();
      if (found < least) {
        throw new AssertionError("key " + key + " has " + found + ", not " + least);
      }
      if (store.get(key(KEYS + key)) != null) {
        throw new AssertionError("key " + (KEYS + key) + " was never written");
      }
      read++;
    }
    return read;
  }

  @Test
  void byMonkeyFewerAbsentKeysPassForTheSameMemory() throws IOException {
    Passing uniform = passing("uniform");
    Passing monkey = passing("monkey");
    assertThat(monkey.bits()).isBetween(0.9 * uniform.bits(), 1.06 * uniform.bits());
    assertThat(uniform.share() / monkey.share()).as("seed " + SEED).isGreaterThan(1.5);
  }

  /**
   * What filters did, on average over the life of a store.
   *
   * @param share false positives for each lookup of an absent key
   * @param bits that they hold for each key
   */
  private record Passing(double share, double bits) {}

  private Passing passing(String allocation) throws IOException {
    MemoryBudget memory = MemoryBudget.ofMebibytes(32);
    int rounds = 16;
    int keys = 8000;
    int asked = 6000;
    double passed = 0;
    double bits = 0;
    StoreOptions.Builder options =
        options(memory).policy("lazy-binomial,table_size=8KiB").filterAllocation(allocation);
    try (Store store = TestStores.open(new MemDisk(), options.build())) {
      for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < keys; i++) {
          store.put(key((int) (i * 7919L % keys * rounds + round) * 2), new byte[24]);
        }
        store.flush();
        store.awaitIdle();
        long before = store.stats().reads().falsePositives();
        for (int i = 0; i < asked; i++) {
          assertThat(store.get(key(2 * random.nextInt(keys * rounds) + 1))).isNull();
        }
        passed += store.stats().reads().falsePositives() - before;
        bits += store.stats().filters().bytes() * 8.0 / (keys * (round + 1));
      }
      return new Passing(passed / asked / rounds, bits / rounds);
    }
  }

  @Test
  void allFiltersAreMadeAnewFromTheirTablesWhateverBecameOfTheFile() throws IOException {
    MemoryBudget memory = MemoryBudget.ofMebibytes(8);
    MemDisk disk = new MemDisk();
    StoreOptions options = options(memory).build();
    int loaded;
    try (Store store = TestStores.open(disk, options)) {
      for (int i = 0; i < 4000; i++) {
        store.put(key(i * 7919 % 4000), new byte[24]);
      }
      store.flush();
      store.awaitIdle();
      loaded = store.stats().filters().loaded();
      assertThat(loaded).isGreaterThan(8);
    }
    byte[] whole = disk.bytes("filters.slots");
    byte[] cut = Arrays.copyOf(whole, whole.length / 2);
    byte[] other = new byte[whole.length];
    random.nextBytes(other);
    for (byte[] found : new byte[][] {whole, cut, other, new byte[0], null}) {
      MemDisk damaged = disk.reopen();
      if (found == null) {
        damaged.delete("filters.slots");
      } else {
        damaged.setBytes("filters.slots", found);
      }
      try (Store store = TestStores.open(damaged, options)) {
        StoreStats.FilterStats filters = store.stats().filters();
        assertThat(filters.loaded()).isEqualTo(loaded);
        if (found == whole) {
          assertThat(filters.rebuilt()).isZero();
        } else {
          assertThat(filters.rebuilt()).isBetween(loaded / 5L, (long) loaded);
        }
        for (int i = 0; i < 4000; i += 7) {
          assertThat(store.get(key(i))).hasSize(24);
        }
      }
      assertThat(damaged.bytes("filters.slots").length).isBetween(1, whole.length);
    }
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }
}
