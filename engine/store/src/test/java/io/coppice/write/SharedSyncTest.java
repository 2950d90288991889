// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.ReadOnlyException;
import io.coppice.io.MemDisk;
import io.coppice.io.PassingDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Writers that wait for the same sync share it, in equal parts. A sync lasts until every other
 * writer waits, so counts depend on who is woken, not on time.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedSyncTest {

  private static final int WRITES_EACH = 150;

  private final MemDisk memory = new MemDisk();
  private final List<Thread> writers = new ArrayList<>();
  private final AtomicInteger syncs = new AtomicInteger();
  private final AtomicInteger failing = new AtomicInteger(Integer.MAX_VALUE);

  private final AtomicLong started = new AtomicLong();
  private final AtomicLong returned = new AtomicLong();
  private final AtomicInteger live = new AtomicInteger();
  private Store store;

  /** Writes that no writer made. */
  private int unshared;

  /** A disk whose syncs by writers last until all other writers wait. */
  private final class SlowDisk extends PassingDisk {
    SlowDisk() {
      super(memory);
    }

    @Override
    public OutputFile create(String name) throws IOException {
      return new PassingOutput(disk.create(name)) {
        @Override
        public void sync() throws IOException {
          if (writers.contains(Thread.currentThread())) {
            awaitOthers();
            if (syncs.incrementAndGet() >= failing.get()) {
              throw new IOException("the device is gone");
            }
          }
          file.sync();
        }
      };
    }
  }

  /** Waits until each writer whose write is visible has come back with another one, and waits. */
  private void awaitOthers() {
    while (returned.get() < TestStores.writes(store).visible() - unshared
        || started.get() - returned.get() < live.get()) {
      Thread.yield();
    }
    for (Thread other : writers) {
      while (other != Thread.currentThread() && runs(other.getState())) {
        Thread.yield();
      }
    }
  }

  private static boolean runs(Thread.State state) {
    return state == Thread.State.RUNNABLE || state == Thread.State.BLOCKED;
  }

  /** Counts a call of the store. */
  private void call(Runnable action) {
    started.incrementAndGet();
    try {
      action.run();
    } finally {
      returned.incrementAndGet();
    }
  }

  /** Starts the writers, and returns when all have ended. */
  private void write(int count, Runnable action) throws InterruptedException {
    live.set(count);
    for (int i = 0; i < count; i++) {
      writers.add(
          new Thread(
              () -> {
                try {
                  action.run();
                } finally {
                  live.decrementAndGet();
                }
              }));
    }
    writers.forEach(Thread::start);
    for (Thread writer : writers) {
      writer.join(TimeUnit.SECONDS.toMillis(100));
      assertThat(writer.isAlive()).as("it waits for ever").isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({"8, 3.5", "32, 12"})
  void writersShareSyncsInEqualParts(int threads, double batchesForEachSync) throws Exception {
    AtomicLong left = new AtomicLong((long) threads * WRITES_EACH);
    List<Integer> shares = new ArrayList<>();
    try (Store opened = TestStores.open(new SlowDisk(), StoreOptions.builder().build())) {
      store = opened;
      write(
          threads,
          () -> {
            int own = 0;
            while (left.getAndDecrement() > 0) {
              WriteBatch batch = new WriteBatch().put(key(left.get()), new byte[100]);
              call(() -> store.write(batch, Durability.SYNC));
              own++;
            }
            synchronized (shares) {
              shares.add(own);
            }
          });
      assertThat((double) threads * WRITES_EACH / syncs.get())
          .as("batches for each sync, shares " + shares)
          .isGreaterThanOrEqualTo(batchesForEachSync);
      assertThat(shares).hasSize(threads).allMatch(share -> share >= WRITES_EACH / 2);
    }
  }

  @Test
  void callsOfSyncShareOne() throws Exception {
    try (Store opened = TestStores.open(new SlowDisk(), StoreOptions.builder().build())) {
      store = opened;
      store.write(new WriteBatch().put(key(1), key(1)), Durability.BUFFERED);
      unshared = 1;
      write(8, () -> call(store::sync));
      assertThat(syncs.get()).isLessThanOrEqualTo(2);
    }
  }

  @Test
  void everyWriterLearnsOfAFailedSync() throws Exception {
    failing.set(20);
    List<Long> acknowledged = new ArrayList<>();
    AtomicLong next = new AtomicLong();
    AtomicInteger refused = new AtomicInteger();
    try (Store opened = TestStores.open(new SlowDisk(), StoreOptions.builder().build())) {
      store = opened;
      write(
          8,
          () -> {
            try {
              while (true) {
                long number = next.getAndIncrement();
                WriteBatch batch = new WriteBatch().put(key(number), key(number));
                call(() -> store.write(batch, Durability.SYNC));
                synchronized (acknowledged) {
                  acknowledged.add(number);
                }
              }
            } catch (ReadOnlyException e) {
              refused.incrementAndGet();
            }
          });
    }
    assertThat(refused.get()).isEqualTo(8);
    try (Store reopened = TestStores.open(memory.crash(), StoreOptions.builder().build())) {
      assertThat(acknowledged).hasSizeGreaterThan(19);
      for (long number : acknowledged) {
        assertThat(reopened.get(key(number))).isEqualTo(key(number));
      }
    }
  }

  private static byte[] key(long number) {
    return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
  }
}
