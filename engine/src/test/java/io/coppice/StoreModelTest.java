// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.Seeds;
import io.coppice.io.MemDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random operations on a store and on a map: every answer is the same. Together the configurations
 * run at least a million operations; {@code -Doperations=N} sets a sixteenth of their sum.
 */
class StoreModelTest {

  private static final int OPERATIONS = Integer.getInteger("operations", 110_000);
  private static final int KEYS = 3_000;

  @TempDir Path directory;

  private final NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
  private final Deque<Held> held = new ArrayDeque<>();
  private Random random;
  private Store store;
  private StoreOptions options;
  private MemoryBudget memory;

  /** The disk, or null for one in the directory. */
  private MemDisk memoryDisk;

  /** A snapshot and what it must go on showing. */
  private record Held(Snapshot snapshot, NavigableMap<byte[], byte[]> model) {}

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "split-forest,table_size=16KiB,cleaning_threshold=1; 65536; 10; mmap; 1; 1",
        "split-forest,fanout=2,table_size=8KiB; 131072; 0; memory; 2; 6",
        "leveled,fanout=4,l0_trigger=2,table_size=16KiB; 65536; 10; memory; 2; 6",
        "leveled,table_size=4KiB,cleaning_threshold=2; 262144; 6; read; 1; 1",
        "delayed,fanout=2,l0_trigger=2,base_size=64KiB,table_size=4KiB,vct=8,vsmt=2;"
            + " 65536; 10; memory; 2; 0.5",
        "delayed,fanout=3,l0_trigger=2,base_size=16KiB,table_size=4KiB,vct=20,vsmt=64,"
            + "max_pinned_ratio=4,cleaning_threshold=1; 65536; 0; mmap; 1; 0.3",
        "tiered,table_size=4KiB,cleaning_threshold=2; 65536; 10; memory; 2; 0.3",
        "grouped,groups=3,table_size=4KiB,cleaning_threshold=1; 65536; 10; memory; 2; 0.3",
        "lazy-binomial,k=2,table_size=4KiB,cleaning_threshold=1; 65536; 10; memory; 2; 0.3"
      })
  void theStoreAnswersLikeAMap(
      String policy, long memtableBytes, int filterBits, String io, int mergeSlots, double share)
      throws IOException {
    long seed = Seeds.seed(20_261_120);
    random = Seeds.random(seed, policy.hashCode());
    LongRun run = new LongRun(getClass(), seed);
    memory = MemoryBudget.ofMebibytes(64);
    options =
        StoreOptions.builder()
            .policy(policy)
            .memory(memory)
            .memtableBytes(memtableBytes)
            .filterBits(filterBits)
            .io(io.equals("memory") ? "read" : io)
            .mergeSlots(mergeSlots)
            .durability(Durability.BUFFERED)
            .build();
    memoryDisk = io.equals("memory") ? new MemDisk() : null;
    store = open();
    long operations = (long) (share * OPERATIONS);
    int i = 0;
    try {
      for (; i < operations; i++) {
        step();
      }
      checkAll(store.cursor(KeyRange.all()), model);
      reopen();
      checkAll(store.cursor(KeyRange.all()), model);
    } catch (IOException | RuntimeException | AssertionError e) {
      fail("operation " + i + "; " + Seeds.replay(getClass(), seed), e);
    } finally {
      store.close();
    }
    assertThat(memory.usedBytes()).as("off-heap bytes after close").isZero();
    run.passed(policy, Map.of("operations", operations, "differences", 0L));
  }

  private void step() throws IOException {
    int dice = random.nextInt(1000);
    if (dice < 380) {
      byte[] key = key();
      byte[] value = value();
      store.put(key, value);
      model.put(key, value);
    } else if (dice < 480) {
      byte[] key = key();
      store.delete(key);
      model.remove(key);
    } else if (dice < 530) {
      batch();
    } else if (dice < 930) {
      byte[] key = key();
      assertThat(store.get(key)).isEqualTo(model.get(key));
    } else if (dice < 985) {
      walk();
    } else if (dice < 995) {
      snapshot();
    } else if (random.nextInt(10) == 0) {
      store.flush();
    } else if (random.nextInt(60) == 0) {
      reopen();
    } else if (random.nextInt(120) == 0) {
      store.compact();
    }
  }

  private void batch() {
    WriteBatch batch = new WriteBatch();
    int count = random.nextInt(12);
    for (int i = 0; i < count; i++) {
      byte[] key = key();
      if (random.nextInt(4) == 0) {
        batch.delete(key);
        model.remove(key);
      } else {
        byte[] value = value();
        batch.put(key, value);
        model.put(key, value);
      }
    }
    store.write(batch, random.nextBoolean() ? Durability.BUFFERED : Durability.NONE);
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
    NavigableMap<byte[], byte[]> part = model;
    part = low == null ? part : part.tailMap(low, true);
    part = high == null ? part : part.headMap(high, false);
    byte[] key = key();
    try (Cursor cursor = store.cursor(range)) {
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
        if (random.nextInt(3) > 0) {
          cursor.next();
          expected = part.higherEntry(expected.getKey());
        } else {
          cursor.prev();
          expected = part.lowerEntry(expected.getKey());
        }
      }
    }
  }

  private void snapshot() {
    if (held.size() < 3 && random.nextInt(8) == 0) {
      NavigableMap<byte[], byte[]> copy = new TreeMap<>(Arrays::compareUnsigned);
      copy.putAll(model);
      held.add(new Held(store.snapshot(), copy));
    } else if (!held.isEmpty()) {
      Held oldest = held.peek();
      byte[] key = key();
      assertThat(oldest.snapshot.get(key)).isEqualTo(oldest.model.get(key));
      if (random.nextInt(30) == 0) {
        checkAll(oldest.snapshot.cursor(KeyRange.all()), oldest.model);
        held.remove();
        oldest.snapshot.close();
      }
    }
  }

  private void reopen() throws IOException {
    held.clear();
    store.close();
    memoryDisk = memoryDisk == null ? null : memoryDisk.kill();
    store = open();
  }

  private Store open() throws IOException {
    return memoryDisk == null ? Store.open(directory, options) : Store.open(memoryDisk, options);
  }

  private static void checkAll(Cursor cursor, NavigableMap<byte[], byte[]> expected) {
    try (cursor) {
      List<byte[]> keys = new ArrayList<>(expected.keySet());
      int i = 0;
      for (cursor.first(); cursor.valid(); cursor.next()) {
        byte[] key = keys.get(i++);
        if (!Arrays.equals(cursor.key(), key)
            || !Arrays.equals(cursor.value(), expected.get(key))) {
          fail("entry " + i + " differs");
        }
      }
      assertThat(i).isEqualTo(keys.size());
    }
  }

  private byte[] key() {
    int number = random.nextInt(KEYS);
    byte[] key = new byte[1 + number % 9 + (number % 97 == 0 ? 40 : 0)];
    Arrays.fill(key, (byte) (number % 7 == 0 ? 0xff : 0));
    key[0] = (byte) (number >> 4);
    key[key.length - 1] ^= (byte) number;
    return key;
  }

  private byte[] value() {
    int size = random.nextInt(400) == 0 ? 9_000 : random.nextInt(60);
    byte[] value = new byte[size];
    random.nextBytes(value);
    return value;
  }
}
