// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import io.coppice.load.DeterministicStore;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bound on the space that deleted data takes on real tables: at rest, after any mix of writes and
 * deletions of 0 to 99 percent of the keys, the tables have at most a factor of the live bytes,
 * plus eight tables and one memtable. The factor is that of the policy's page.
 */
class DeletedSpaceTest {

  private static final int KEYS = 6_000;

  /** Keys of the law: with them, the slack is a part of the bound that hides no factor of 2. */
  private static final int LAW_KEYS = 30_000;

  private static final int VALUE_BYTES = 100;
  private static final int RANGE_KEYS = 500;

  /** A table of four blocks: the bytes of a slice are estimated by whole blocks. */
  private static final int TABLE_BYTES = 16 << 10;

  private static final int MEMTABLE_BYTES = 64 << 10;

  /** Bytes of a live entry: key and value. */
  private static final int ENTRY_BYTES = key(0).length + VALUE_BYTES;

  /** Most bytes on disk per live byte, as each page states. */
  private static final Map<String, Double> FACTORS =
      Map.of(
          "leveled", 1.3,
          "delayed", 1.3,
          "lazy-binomial", 1.6,
          "adaptive", 1.6,
          "split-forest", 2.0,
          "grouped", 2.0,
          "tiered", 2.0);

  private static final long SLACK_BYTES = 8 * TABLE_BYTES + MEMTABLE_BYTES;

  static Stream<String> policies() {
    return PolicySpec.policyNames().stream();
  }

  private static StoreOptions options(String policy) {
    return StoreOptions.builder()
        .policy(policy + ",table_size=" + TABLE_BYTES / 1024 + "KiB")
        .compression("none")
        .memory(MemoryBudget.ofMebibytes(16))
        .memtableBytes(MEMTABLE_BYTES)
        .durability(Durability.NONE)
        .build();
  }

  @ParameterizedTest
  @MethodSource("policies")
  void deletedDataGoes(String policy) {
    Seeds.forEach(
        Integer.getInteger("cases", 2),
        random -> {
          random.setSeed(random.nextLong() + policy.hashCode());
          double share = new double[] {0, 0.1, 0.5, 0.9, 0.99}[random.nextInt(5)];
          boolean ranges = random.nextInt(3) == 0;
          boolean interleaved = random.nextBoolean();
          String mix =
              share + (ranges ? " by ranges" : "") + (interleaved ? " between writes" : "");
          try (DeterministicStore opened =
              DeterministicStore.open(new MemDisk(), options(policy), 1)) {
            load(opened, random, share, ranges, interleaved);
            assertBound(opened, policy, mix, LAW_KEYS - (int) (LAW_KEYS * share));
          }
        });
  }

  private static void load(
      DeterministicStore opened, Random random, double share, boolean ranges, boolean interleaved) {
    put(opened, random, share, ranges, interleaved);
    opened.settle();
  }

  private static void put(
      DeterministicStore opened, Random random, double share, boolean ranges, boolean interleaved) {
    Store store = opened.store();
    List<Integer> keys = new ArrayList<>(IntStream.range(0, LAW_KEYS).boxed().toList());
    if (!ranges && random.nextInt(3) > 0) {
      Collections.shuffle(keys, random);
    }
    int deleted = (int) (LAW_KEYS * share);
    int dropped = 0;
    for (int written = 0; written < LAW_KEYS; written++) {
      store.put(key(keys.get(written)), value(random));
      int due = interleaved ? (int) (written * share / 2) : 0;
      dropped = delete(store, keys, dropped, Math.min(due, deleted), ranges, false);
      if (random.nextInt(10) == 0) {
        opened.step();
      }
    }
    delete(store, keys, dropped, deleted, ranges, true);
    store.flush();
  }

  /**
   * Deletes the keys from one index to another, those in order by ranges of up to 500 if asked to.
   * Returns the index of the next one; a range waits until it is full.
   */
  private static int delete(
      Store store, List<Integer> keys, int from, int to, boolean ranges, boolean all) {
    int at = from;
    while (at < to && (!ranges || all || to - at >= RANGE_KEYS)) {
      int end = ranges ? Math.min(to, at + RANGE_KEYS) : at + 1;
      if (ranges) {
        store.deleteRange(key(at), key(end));
      } else {
        store.delete(key(keys.get(at)));
      }
      at = end;
    }
    return at;
  }

  private static byte[] key(int number) {
    return String.format("key%08d", number).getBytes(US_ASCII);
  }

  private static byte[] value(Random random) {
    byte[] value = new byte[VALUE_BYTES];
    random.nextBytes(value);
    return value;
  }

  private static void assertBound(
      DeterministicStore opened, String policy, String mix, int liveKeys) {
    long live = (long) liveKeys * ENTRY_BYTES;
    long disk = tableBytes(opened.store());
    if (Boolean.getBoolean("show")) {
      System.out.printf("%s %s: %.2f, %d of %d%n", policy, mix, (double) disk / live, disk, live);
    }
    assertThat(TestStores.compactor(opened.store()).backlog(0).plans()).as(mix).isZero();
    assertThat(disk)
        .as("bytes of tables, %s deleted", mix)
        .isLessThanOrEqualTo((long) (FACTORS.get(policy) * live) + SLACK_BYTES);
  }

  private static long tableBytes(Store store) {
    return TestStores.versions(store.family("default")).current().tableBytes();
  }

  @Test
  void deletionsActOnceTheirSnapshotIsClosed() throws IOException {
    for (String policy : PolicySpec.policyNames()) {
      Random random = new Random(1);
      try (DeterministicStore opened = DeterministicStore.open(new MemDisk(), options(policy), 1)) {
        Store store = opened.store();
        for (int i = 0; i < KEYS; i++) {
          store.put(key(i), value(random));
        }
        Snapshot snapshot = store.snapshot();
        for (int i = 0; i < KEYS; i++) {
          store.delete(key(i));
        }
        store.flush();
        opened.settle();
        long steps = store.stats().mergeSteps();
        opened.settle();
        assertThat(store.stats().mergeSteps()).as("no merge without a new fact").isEqualTo(steps);
        assertThat(snapshot.get(key(7))).isNotNull();
        assertThat(tableBytes(store)).isGreaterThan(KEYS * VALUE_BYTES);

        snapshot.close();
        opened.settle();
        assertThat(tableBytes(store)).as(policy).isLessThanOrEqualTo(SLACK_BYTES);
      }
    }
  }

  @Test
  void aShortSnapshotBesideALongOneAsksNoPolicy() throws IOException {
    try (DeterministicStore opened =
        DeterministicStore.open(new MemDisk(), options("leveled"), 1)) {
      Store store = opened.store();
      Random random = new Random(1);
      for (int i = 0; i < KEYS; i++) {
        store.put(key(i), value(random));
      }
      try (Snapshot longOne = store.snapshot()) {
        for (int i = 0; i < KEYS; i++) {
          store.delete(key(i));
        }
        store.flush();
        opened.settle();
        for (int i = 0; i < 3; i++) {
          store.snapshot().close();
          assertThat(opened.step()).as("work after a short snapshot").isFalse();
        }
        assertThat(longOne.get(key(7))).isNotNull();
      }
      assertThat(opened.step()).as("work after the long snapshot").isTrue();
      opened.settle();
      assertThat(tableBytes(store)).isLessThanOrEqualTo(SLACK_BYTES);
    }
  }

  /** Tells apart what an estimate steers and what it proves: a wrong one loses nothing. */
  @Test
  void deletionsOfAbsentKeysRemoveNothingElse() throws IOException {
    Function<Integer, byte[]> absent = i -> key(KEYS + i);
    for (String policy : PolicySpec.policyNames()) {
      Random random = new Random(2);
      try (DeterministicStore opened = DeterministicStore.open(new MemDisk(), options(policy), 1)) {
        Store store = opened.store();
        for (int i = 0; i < KEYS; i += 2) {
          store.put(key(i), value(random));
        }
        for (int i = 1; i < KEYS; i += 2) {
          store.delete(key(i));
          store.delete(absent.apply(i));
        }
        store.flush();
        opened.settle();
        assertThat(tableBytes(store))
            .as(policy)
            .isLessThanOrEqualTo(
                (long) (KEYS / 2 * ENTRY_BYTES * FACTORS.get(policy)) + SLACK_BYTES);
        for (int i = 0; i < KEYS; i += 2) {
          assertThat(store.get(key(i))).isNotNull();
        }
      }
    }
  }
}
