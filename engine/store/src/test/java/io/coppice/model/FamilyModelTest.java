// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.ClosedException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import io.coppice.load.FamilyLoad;
import io.coppice.load.NumberedWrites;
import io.coppice.recovery.StoreVerifier;
import io.coppice.testing.LongRun;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random operations on the families of a store, which come and go, and on a map for each: every
 * answer is the same, also of snapshots, after killed processes and under changing policies. {@code
 * -DfamilyOperations=N} sets how many operations a policy.
 */
class FamilyModelTest {

  private static final int OPERATIONS = Integer.getInteger("familyOperations", 60_000);
  private static final int KEYS = 300;
  private static final int MAX_FAMILIES = 400;

  /** Fewer operations where there are hundreds of families. */
  private static final int FEWER = 200;

  private final Deque<Held> held = new ArrayDeque<>();
  private final MemoryBudget memory = MemoryBudget.ofMebibytes(48);
  private MemDisk disk = new MemDisk();
  private FamilyLoad.State model = new FamilyLoad.State();
  private Random random;
  private StoreOptions options;
  private Store store;

  /** A snapshot, what it must go on showing, and the families as they were. */
  private record Held(Snapshot snapshot, FamilyLoad.State model, List<Family> families) {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1",
        "delayed,fanout=2,l0_trigger=2,base_size=16KiB,table_size=4KiB,vct=8,vsmt=2"
      })
  void allFamiliesAnswerLikeMaps(String policy) throws IOException {
    long seed = Seeds.first();
    check(policy, 64 << 10, seed, new FamilyLoad(Seeds.random(seed, 3), OPERATIONS, KEYS, 60));
  }

  @Test
  void hundredsOfFamiliesAnswerLikeMaps() throws IOException {
    long seed = Seeds.first();
    Random drawn = Seeds.random(seed, 4);
    int families = MAX_FAMILIES / 2 + drawn.nextInt(MAX_FAMILIES / 2);
    FamilyLoad load = FamilyLoad.ofMany(drawn, families, OPERATIONS / FEWER, KEYS, 60);
    check("leveled,l0_trigger=2,table_size=4KiB", 1 << 20, seed, load);
  }

  private void check(String policy, int memtableBytes, long seed, FamilyLoad load)
      throws IOException {
    random = Seeds.random(seed, policy.hashCode());
    options =
        StoreOptions.builder()
            .policy(policy)
            .memory(memory)
            .memtableBytes(memtableBytes)
            .compactionSlots(2)
            .durability(Durability.BUFFERED)
            .build();
    LongRun run = new LongRun(getClass(), seed);
    store = TestStores.open(disk, options);
    int i = 0;
    try {
      for (; i < load.count(); i++) {
        Durability durability = random.nextInt(4) == 0 ? Durability.NONE : Durability.BUFFERED;
        load.carryOut(store, i, durability);
        load.apply(model, i);
        step();
      }
      checkAll();
      store.compact();
      checkAll();
      reopen();
      checkAll();
    } catch (IOException | RuntimeException | AssertionError e) {
      fail("operation " + i + "; " + Seeds.replay(getClass(), seed), e);
    } finally {
      store.close();
    }
    assertThat(memory.usedBytes()).as("off-heap bytes after close").isZero();
    assertThat(StoreVerifier.verify(disk.reopen()).damaged()).isFalse();
    run.passed(policy, Map.of("operations", (long) load.count(), "differences", 0L));
  }

  private void step() throws IOException {
    Family family = anyFamily();
    NavigableMap<byte[], byte[]> contents = model.get(family.name());
    for (int gets = random.nextInt(3); gets > 0; gets--) {
      byte[] key = NumberedWrites.key(random.nextInt(KEYS));
      assertThat(family.get(key)).isEqualTo(contents.get(key));
    }
    int dice = random.nextInt(3000);
    if (dice < 200) {
      check(family.cursor(KeyRange.all()), contents);
    } else if (dice < 260) {
      many(family, contents);
    } else if (dice < 300) {
      snapshot();
    } else if (dice < 305) {
      store.flush();
    } else if (dice < 307) {
      reopen();
    } else if (dice < 309) {
      family.compact();
    } else if (dice < 312) {
      family.policy(
          random.nextBoolean() ? "tiered,trigger=4,table_size=8KiB" : "leveled,table_size=4KiB");
    }
  }

  private Family anyFamily() {
    List<Family> families = store.families();
    assertThat(families).hasSize(model.size());
    assertThat(families.stream().map(Family::name).collect(Collectors.toSet()))
        .isEqualTo(model.keySet());
    return families.get(random.nextInt(families.size()));
  }

  private void check(Cursor cursor, NavigableMap<byte[], byte[]> expected) {
    byte[] key = NumberedWrites.key(random.nextInt(KEYS));
    try (cursor) {
      cursor.seek(key);
      Map.Entry<byte[], byte[]> entry = expected.ceilingEntry(key);
      for (int steps = 5; entry != null && steps > 0; steps--) {
        assertThat(cursor.key()).isEqualTo(entry.getKey());
        assertThat(cursor.value()).isEqualTo(entry.getValue());
        cursor.next();
        entry = expected.higherEntry(entry.getKey());
      }
      assertThat(cursor.valid()).isEqualTo(entry != null);
    }
  }

  private void many(Family family, NavigableMap<byte[], byte[]> expected) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      keys.add(NumberedWrites.key(random.nextInt(KEYS)));
    }
    List<byte[]> values = family.getAll(keys);
    for (int i = 0; i < 8; i++) {
      assertThat(values.get(i)).isEqualTo(expected.get(keys.get(i)));
    }
  }

  private void snapshot() {
    if (held.size() < 3 && random.nextInt(3) == 0) {
      held.add(new Held(store.snapshot(), FamilyLoad.copy(model), store.families()));
    } else if (!held.isEmpty()) {
      Held oldest = random.nextInt(5) == 0 ? held.remove() : held.peek();
      for (Family family : oldest.families()) {
        if (store.families().contains(family)) {
          NavigableMap<byte[], byte[]> expected = oldest.model().get(family.name());
          check(oldest.snapshot().cursor(family, KeyRange.all()), expected);
        } else {
          assertThatThrownBy(() -> oldest.snapshot().get(family, new byte[1]))
              .isInstanceOf(ClosedException.class);
        }
      }
      if (!held.contains(oldest)) {
        oldest.snapshot().close();
      }
    }
  }

  private void reopen() throws IOException {
    held.clear();
    store.close();
    disk = disk.kill();
    store = TestStores.open(disk, options);
  }

  private void checkAll() {
    FamilyLoad.State shown = FamilyLoad.contents(store);
    assertThat(shown.same(model)).as("shown " + shown + ", expected " + model).isTrue();
    for (Family family : store.families()) {
      NavigableMap<byte[], byte[]> backward = new TreeMap<>(Arrays::compareUnsigned);
      try (Cursor cursor = family.cursor(KeyRange.all())) {
        for (cursor.last(); cursor.valid(); cursor.prev()) {
          backward.put(cursor.key(), cursor.value());
        }
      }
      assertThat(NumberedWrites.same(backward, model.get(family.name()))).isTrue();
    }
  }
}
