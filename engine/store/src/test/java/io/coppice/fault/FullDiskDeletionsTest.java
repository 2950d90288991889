// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.WriteBatch;
import io.coppice.base.DiskFullException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.compaction.TableSizeLawTest;
import io.coppice.io.MemDisk;
import io.coppice.load.DeterministicStore;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Deletions alone lead from a full disk to a store that takes writes again. */
class FullDiskDeletionsTest {

  private static final int CASES_PER_POLICY = 2;

  /**
   * A flush released the reserve and took it back; merges without deletions used it up; one of
   * them, begun before a major compaction, failed that.
   */
  private static final long[] FOUND = {900_002, 27_594_522, 440_392_764};

  private static final int KEYS = 4_000;

  static Stream<String> policies() {
    return TableSizeLawTest.policies();
  }

  @ParameterizedTest
  @MethodSource("policies")
  void deletionsMakeRoom(String policy) {
    Seeds.forEachFoundAndMore(
        FOUND,
        CASES_PER_POLICY,
        random -> {
          random.setSeed(random.nextLong() + policy.hashCode());
          MemDisk disk = new MemDisk();
          disk.capacity((1 + random.nextInt(3)) << 20);
          StoreOptions options =
              StoreOptions.builder()
                  .policy(policy)
                  .memory(MemoryBudget.ofMebibytes(16))
                  .memtableBytes(64 << 10)
                  .compactionSlots(random.nextBoolean() ? 1 : 4)
                  .build();
          // Some deletions in every table must not count as deletions that free space.
          boolean sparseDeletions = random.nextBoolean();
          SortedMap<Integer, byte[]> model = new TreeMap<>();
          try (DeterministicStore opened = DeterministicStore.open(disk, options, 1)) {
            Store store = opened.store();
            for (int round = 0; round < 2; round++) {
              int full = fill(opened, model, sparseDeletions, random);
              delete(store, model, random);
              store.compact();
              assertThat(disk.list()).as("room for merges is set aside again").contains("RESERVE");
              for (int i = 0; i < full / 20; i++) {
                put(store, model, random);
              }
              check(store, model);
            }
          }
          disk.reopen();
          try (DeterministicStore opened = DeterministicStore.open(disk, options, 2)) {
            check(opened.store(), model);
          }
        });
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  /** Writes until the disk is full; returns how many values were taken. */
  private static int fill(
      DeterministicStore opened,
      SortedMap<Integer, byte[]> model,
      boolean sparseDeletions,
      Random random) {
    int taken = 0;
    try {
      while (true) {
        put(opened.store(), model, random);
        taken++;
        if (sparseDeletions && random.nextInt(50) == 0) {
          int key = random.nextInt(KEYS);
          opened.store().delete(key(key));
          model.remove(key);
        }
        if (random.nextInt(200) == 0) {
          opened.settle();
        }
      }
    } catch (DiskFullException e) {
      return taken;
    }
  }

  private static void put(Store store, SortedMap<Integer, byte[]> model, Random random) {
    int key = random.nextInt(KEYS);
    byte[] value = new byte[random.nextInt(2_000)];
    random.nextBytes(value);
    Durability durability = random.nextBoolean() ? Durability.SYNC : Durability.BUFFERED;
    store.write(new WriteBatch().put(key(key), value), durability);
    model.put(key, value);
  }

  /** Deletes at least half of what there is, by single keys or by ranges. */
  private static void delete(Store store, SortedMap<Integer, byte[]> model, Random random) {
    if (random.nextBoolean()) {
      int from = random.nextInt(KEYS / 4);
      int to = KEYS * 3 / 4 + random.nextInt(KEYS / 4);
      store.deleteRange(key(from), key(to));
      model.subMap(from, to).clear();
    } else {
      for (int key = 0; key < KEYS; key++) {
        if (key % 4 > 0 && model.remove(key) != null) {
          deleteOrCompact(store, key);
        }
      }
    }
  }

  /** Deletions may take more than is reserved; merges make room for more of them then. */
  private static void deleteOrCompact(Store store, int key) {
    try {
      store.delete(key(key));
    } catch (DiskFullException e) {
      store.compact();
      store.delete(key(key));
    }
  }

  private static void check(Store store, SortedMap<Integer, byte[]> model) throws IOException {
    SortedMap<Integer, byte[]> shown = new TreeMap<>();
    for (int key = 0; key < KEYS; key++) {
      byte[] value = store.get(key(key));
      if (value != null) {
        shown.put(key, value);
      }
    }
    assertThat(shown.keySet()).isEqualTo(model.keySet());
    shown.forEach((key, value) -> assertThat(value).isEqualTo(model.get(key)));
  }
}
