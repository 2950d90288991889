// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.ClosedException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.testing.LongRun;
import io.coppice.testing.Seeds;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Stores, snapshots and cursors are closed by one thread while others use them, on mapped files and
 * off-heap memory: each call works or throws {@link ClosedException}, and the process lives. {@code
 * -Dcloses=} says how many closes, {@code -Dclose.stores=N} that one in N picks the whole store.
 */
class StoreCloseTest {

  private static final long CLOSES = Long.getLong("closes", 5_000);
  private static final int WORKERS = 4;
  private static final int SLOTS = 4;
  private static final int KEYS = 2000;

  private static final int STORE_SHARE = Integer.getInteger("close.stores", 25);

  @TempDir Path directory;

  private final long seed = Seeds.seed(20261121);
  private final MemoryBudget memory = MemoryBudget.ofMebibytes(64);
  private final AtomicReferenceArray<Cursor> cursors = new AtomicReferenceArray<>(SLOTS);
  private final AtomicReferenceArray<Snapshot> snapshots = new AtomicReferenceArray<>(SLOTS);
  private final LongAdder calls = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private volatile Store store;
  private volatile boolean done;

  @Test
  void closingUnderReadersAndWritersEndsTheirCallsAndNothingElse() throws Exception {
    LongRun run = new LongRun(StoreCloseTest.class, seed);
    store = open();
    for (int i = 0; i < KEYS; i++) {
      store.put(key(i), value(i, i % 300));
    }
    for (int i = 0; i < SLOTS; i++) {
      reopen(i);
    }
    ExecutorService pool = Executors.newFixedThreadPool(WORKERS);
    long stores = 0;
    try {
      List<Future<?>> workers = new ArrayList<>();
      for (int i = 0; i < WORKERS; i++) {
        Random random = Seeds.random(seed, i);
        workers.add(pool.submit(() -> work(random)));
      }
      Random random = Seeds.random(seed, WORKERS);
      for (long closes = 0; closes < CLOSES && workers.stream().noneMatch(Future::isDone); ) {
        int slot = random.nextInt(SLOTS);
        if (random.nextInt(STORE_SHARE) == 0) {
          store.close();
          closes++;
          stores++;
          assertThat(memory.usedBytes()).isZero();
          store = open();
          for (int i = 0; i < SLOTS; i++) {
            reopen(i);
          }
        } else {
          snapshots.get(slot).close();
          cursors.get(slot).close();
          closes += 2;
          reopen(slot);
        }
      }
      done = true;
      for (Future<?> worker : workers) {
        worker.get();
      }
    } catch (Exception | Error e) {
      throw new AssertionError(Seeds.replay(StoreCloseTest.class, seed), e);
    } finally {
      done = true;
      pool.shutdownNow();
      store.close();
    }
    assertThat(memory.usedBytes()).isZero();
    assertThat(refused.sum()).isPositive();
    run.passed(
        "close",
        Map.of("closes", CLOSES, "stores", stores, "calls", calls.sum(), "refused", refused.sum()));
  }

  private Store open() {
    return Store.open(
        directory,
        StoreOptions.builder()
            .policy("split-forest,table_size=64KiB")
            .memory(memory)
            .memtableBytes(64 << 10)
            .durability(Durability.BUFFERED)
            .build());
  }

  private void reopen(int slot) {
    snapshots.set(slot, store.snapshot());
    cursors.set(slot, snapshots.get(slot).cursor(KeyRange.all()));
  }

  private Void work(Random random) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(512);
    while (!done) {
      try {
        use(random, buffer);
      } catch (ClosedException e) {
        refused.increment();
      }
      calls.increment();
    }
    return null;
  }

  private void use(Random random, ByteBuffer buffer) {
    int slot = random.nextInt(SLOTS);
    int number = random.nextInt(KEYS);
    byte[] key = key(number);
    switch (random.nextInt(12)) {
      case 0 -> check(number, store.get(key));
      case 1 -> check(number, store.getInto(key, buffer), buffer);
      case 2 -> {
        List<byte[]> keys = List.of(key, key((number + 1) % KEYS), key(random.nextInt(KEYS)));
        List<byte[]> values = store.getAll(keys);
        for (int i = 0; i < keys.size(); i++) {
          check(ByteBuffer.wrap(keys.get(i)).getInt(), values.get(i));
        }
      }
      case 3, 4 -> store.put(key, value(number, random.nextInt(300)));
      case 5 -> {
        byte[] present = store.get(key);
        store.compareAndSet(key, present, value(number, random.nextInt(300)));
      }
      case 6 -> check(number, snapshots.get(slot).get(key));
      case 7 -> check(number, snapshots.get(slot).getInto(key, buffer), buffer);
      case 8 -> walk(cursors.get(slot), key, random.nextBoolean());
      case 9 -> {
        try (Cursor own = snapshots.get(slot).cursor(KeyRange.from(key))) {
          walk(own, key, true);
        }
      }
      case 10 -> assertThat(store.stats().tableBytes()).isNotNegative();
      default -> {
        if (random.nextInt(50) == 0) {
          store.flush();
        } else if (random.nextInt(200) == 0) {
          store.compact();
        } else {
          store.sync();
        }
      }
    }
  }

  /** Other threads may move a shared cursor, so key and value need not belong together. */
  private void walk(Cursor cursor, byte[] from, boolean forward) {
    cursor.seek(from);
    for (int i = 0; i < 5; i++) {
      try {
        byte[] key = cursor.key();
        check(ByteBuffer.wrap(key).getInt(), null);
        assertThat(cursor.value()).hasSizeLessThan(300);
        if (forward) {
          cursor.next();
        } else {
          cursor.prev();
        }
      } catch (NoSuchElementException e) {
        return;
      }
    }
  }

  private static void check(int number, byte[] value) {
    assertThat(number).isBetween(0, KEYS - 1);
    if (value != null) {
      check(number, value.length, ByteBuffer.wrap(value));
    }
  }

  private static void check(int number, int length, ByteBuffer buffer) {
    assertThat(length).isBetween(0, 300);
    for (int i = 0; i < length; i++) {
      if (buffer.get(i) != (byte) number) {
        throw new AssertionError("byte " + i + " of the value of key " + number + " is wrong");
      }
    }
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  private static byte[] value(int number, int length) {
    byte[] value = new byte[length];
    Arrays.fill(value, (byte) number);
    return value;
  }
}
