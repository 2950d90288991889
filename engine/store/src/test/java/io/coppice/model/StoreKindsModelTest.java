// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import io.coppice.recovery.StoreVerifier;
import io.coppice.recovery.Verification;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random operations of all kinds on a store of tiny tables and on a model: every answer is the
 * same, of gets, of many gets, of cursors both ways, of snapshots, after reopening and after the
 * process dies. {@code -Dkinds.operations=N} sets how many.
 */
class StoreKindsModelTest {

  private static final int OPERATIONS = Integer.getInteger("kinds.operations", 25_000);
  private static final int KEYS = 600;

  private record Held(Snapshot snapshot, KindsModel model) {}

  private final Deque<Held> held = new ArrayDeque<>();
  private KindsModel model = new KindsModel();
  private Random random;
  private StoreOptions options;
  private MemDisk disk;
  private Store store;
  private long now = 1_000_000;

  /** Shares of a hundred: merge operands, range deletions, values that end. */
  private int merges;

  private int ranges;
  private int ends;

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1; 10; 40; 0; 0",
        "split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1; 10; 0; 15; 0",
        "split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1; 10; 0; 0; 40",
        "split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1; 10; 20; 8; 20",
        "leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=1; 0; 20; 8; 20",
        "delayed,fanout=2,l0_trigger=2,base_size=8KiB,table_size=4KiB,cleaning_threshold=1,vct=7,"
            + "vsmt=2; 10; 20; 8; 20",
        "tiered,trigger=4,table_size=4KiB,cleaning_threshold=1; 10; 20; 8; 20",
        "grouped,groups=3,table_size=4KiB,cleaning_threshold=1; 10; 20; 8; 20",
        "lazy-binomial,k=2,table_size=4KiB,cleaning_threshold=1; 10; 20; 8; 20"
      })
  void allKindsAnswerLikeTheModel(
      String policy, int filterBits, int shareOfMerges, int shareOfRanges, int shareOfEnds)
      throws IOException {
    long seed = Seeds.first();
    random = Seeds.random(seed, policy.hashCode() + shareOfMerges);
    merges = shareOfMerges;
    ranges = shareOfRanges;
    ends = shareOfEnds;
    MemoryBudget memory = MemoryBudget.ofMebibytes(32);
    options =
        TestStores.clock(StoreOptions.builder(), () -> now)
            .policy(policy)
            .memory(memory)
            .memtableBytes(random.nextBoolean() ? 6 << 10 : 24 << 10)
            .filterBits(filterBits)
            .durability(Durability.BUFFERED)
            .mergeOperator(KindsModel.APPEND)
            .build();
    disk = new MemDisk();
    store = TestStores.open(disk, options);
    int i = 0;
    try {
      for (; i < OPERATIONS; i++) {
        step();
      }
      store.compact();
      checkAll(store.cursor(KeyRange.all()), model);
      reopen(0);
      checkAll(store.cursor(KeyRange.all()), model);
    } catch (IOException | RuntimeException | AssertionError e) {
      fail("operation " + i + "; " + Seeds.replay(getClass(), seed), e);
    } finally {
      store.close();
    }
    Verification verified = StoreVerifier.verify(disk.reopen());
    assertThat(verified.damages()).isEmpty();
    assertThat(memory.usedBytes()).as("bytes of the ledger after close").isZero();
    assertThat(disk.openFiles()).isZero();
  }

  private void step() throws IOException {
    int dice = random.nextInt(1000);
    if (dice < 500) {
      WriteBatch batch = new WriteBatch();
      int count = random.nextInt(6) == 0 ? random.nextInt(8) : 1;
      for (int i = 0; i < count; i++) {
        change(batch);
      }
      store.write(batch);
    } else if (dice < 800) {
      byte[] key = key();
      assertThat(store.get(key)).isEqualTo(model.get(key, now));
    } else if (dice < 815) {
      List<byte[]> keys = new ArrayList<>();
      for (int i = random.nextInt(6); i >= 0; i--) {
        keys.add(key());
      }
      List<byte[]> values = store.getAll(keys);
      for (int i = 0; i < keys.size(); i++) {
        assertThat(values.get(i)).isEqualTo(model.get(keys.get(i), now));
      }
    } else if (dice < 940) {
      walk();
    } else if (dice < 965) {
      snapshot();
    } else if (dice < 990) {
      now += random.nextInt(30);
    } else if (dice < 996) {
      store.flush();
    } else if (random.nextInt(10) == 0) {
      reopen(random.nextInt(3));
    } else if (random.nextInt(20) == 0) {
      store.compact();
      checkAll(store.cursor(KeyRange.all()), model);
    }
  }

  private void change(WriteBatch batch) {
    int dice = random.nextInt(100);
    byte[] key = key();
    if (dice < merges) {
      byte[] operand = value(random.nextInt(4));
      batch.merge(key, operand);
      model.merge(key, operand);
    } else if (dice < merges + ranges) {
      byte[] other = random.nextInt(4) == 0 ? Arrays.copyOf(key, key.length + 1) : key();
      if (random.nextInt(3) > 0 && key.length > 1) {
        // A short range, so that not everything is deleted again and again.
        other = key.clone();
        other[0] += (byte) random.nextInt(9);
      }
      int order = Arrays.compareUnsigned(key, other);
      if (order != 0) {
        byte[] from = order < 0 ? key : other;
        byte[] to = order < 0 ? other : key;
        batch.deleteRange(from, to);
        model.deleteRange(from, to);
      }
    } else if (dice < merges + ranges + ends) {
      byte[] value = value(random.nextInt(200));
      long end = now + random.nextInt(200);
      if (random.nextBoolean()) {
        batch.putUntil(key, value, Instant.ofEpochMilli(end));
        model.put(key, value, end);
      } else {
        store.write(batch);
        batch.clear();
        store.put(key, value, Duration.ofMillis(end - now));
        model.put(key, value, end);
      }
    } else if (random.nextInt(4) == 0) {
      batch.delete(key);
      model.delete(key);
    } else {
      byte[] value = value(random.nextInt(100) == 0 ? 5_000 : random.nextInt(300));
      batch.put(key, value);
      model.put(key, value, KindsModel.FOREVER);
    }
  }

  /** A few steps in both directions from a random place, inside random bounds. */
  private void walk() {
    byte[] low = random.nextBoolean() ? null : key();
    byte[] high = random.nextBoolean() ? null : key();
    if (low != null && high != null && Arrays.compareUnsigned(low, high) > 0) {
      byte[] other = low;
      low = high;
      high = other;
    }
    KeyRange range = low == null ? KeyRange.all() : KeyRange.from(low);
    range = high == null ? range : range.to(high);
    Held from = held.isEmpty() || random.nextInt(3) > 0 ? null : held.peek();
    NavigableMap<byte[], byte[]> part = (from == null ? model : from.model).at(now);
    part = low == null ? part : part.tailMap(low, true);
    part = high == null ? part : part.headMap(high, false);
    try (Cursor cursor = from == null ? store.cursor(range) : from.snapshot.cursor(range)) {
      walk(cursor, part);
    }
  }

  private void walk(Cursor cursor, NavigableMap<byte[], byte[]> part) {
    byte[] key = key();
    Map.Entry<byte[], byte[]> expected;
    switch (random.nextInt(4)) {
      case 0 -> {
        cursor.first();
        expected = part.firstEntry();
      }
      case 1 -> {
        cursor.last();
        expected = part.lastEntry();
      }
      case 2 -> {
        cursor.seek(key);
        expected = part.ceilingEntry(key);
      }
      default -> {
        cursor.seekForPrev(key);
        expected = part.floorEntry(key);
      }
    }
    int steps = random.nextInt(12);
    for (int i = 0; ; i++) {
      assertThat(cursor.valid()).isEqualTo(expected != null);
      if (expected == null) {
        return;
      }
      assertThat(cursor.key()).isEqualTo(expected.getKey());
      assertThat(cursor.value()).isEqualTo(expected.getValue());
      if (i == steps) {
        return;
      }
      if (random.nextInt(5) > 1) {
        cursor.next();
        expected = part.higherEntry(expected.getKey());
      } else {
        cursor.prev();
        expected = part.lowerEntry(expected.getKey());
      }
    }
  }

  private void snapshot() {
    if (held.size() < 4 && random.nextInt(3) == 0) {
      held.add(new Held(store.snapshot(), model.copy()));
    } else if (!held.isEmpty()) {
      Held oldest = held.peek();
      byte[] key = key();
      assertThat(oldest.snapshot.get(key)).isEqualTo(oldest.model.get(key, now));
      if (random.nextInt(12) == 0) {
        checkAll(oldest.snapshot.cursor(KeyRange.all()), oldest.model);
        held.remove();
        oldest.snapshot.close();
      }
    }
  }

  /** Closes the store, or leaves it to a death of the process or a loss of power. */
  private void reopen(int how) throws IOException {
    held.clear();
    MemDisk left = null;
    if (how == 1) {
      left = disk.kill();
    } else if (how == 2) {
      store.sync();
      left = random.nextBoolean() ? disk.crash() : disk.crash(random);
    }
    store.close();
    disk = left == null ? disk.reopen() : left;
    store = TestStores.open(disk, options);
  }

  private void checkAll(Cursor cursor, KindsModel expected) {
    NavigableMap<byte[], byte[]> left = expected.at(now);
    try (cursor) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        Map.Entry<byte[], byte[]> next = left.pollFirstEntry();
        assertThat(next).as("an entry for %s", Arrays.toString(cursor.key())).isNotNull();
        assertThat(cursor.key()).isEqualTo(next.getKey());
        assertThat(cursor.value()).isEqualTo(next.getValue());
      }
      assertThat(left).isEmpty();
    }
  }

  /** Short, so that prefixes, zeros at the end and the empty key are frequent. */
  private byte[] key() {
    int number = random.nextInt(KEYS);
    if (number == 0) {
      return new byte[0];
    }
    byte[] key = new byte[number % 5 == 0 ? 3 : 2];
    key[0] = (byte) (number / 3);
    key[1] = (byte) (number % 3 == 0 ? 0 : number % 3 == 1 ? number : 0xff);
    return key;
  }

  private byte[] value(int size) {
    byte[] value = new byte[size];
    random.nextBytes(value);
    return value;
  }
}
