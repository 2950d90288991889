// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.ClosedException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.thread.WorkerThreads;
import io.coppice.base.thread.Workers;
import io.coppice.io.MemDisk;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** Families come and go, and stores close, at any moment of a tuner that has much to do. */
class StoreTuningRaceTest {

  private static final int ROUNDS = 5;
  private static final int LIVES = 3;

  /** So much faster the clock goes than time does. */
  private static final int HASTE = 200;

  private final MemoryBudget memory = MemoryBudget.ofMebibytes(24);

  /** Threads that live on a hasty clock. */
  private static final class Hasty implements Workers {
    private final Workers threads = new WorkerThreads();

    @Override
    public Worker start(String name, Task task) {
      return threads.start(
          name,
          () -> {
            long rest = task.step();
            return rest == UNTIL_WOKEN ? UNTIL_WOKEN : rest / HASTE;
          });
    }

    @Override
    public Condition condition(ReentrantLock lock) {
      return threads.condition(lock);
    }

    @Override
    public void giveWay() {
      threads.giveWay();
    }

    @Override
    public long nanoTime() {
      return threads.nanoTime() * HASTE;
    }
  }

  @Test
  void aFamilyIsDroppedAndAStoreClosedWhileTheirRungsTurn() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      StoreOptions options =
          StoreOptions.builder()
              .policy("adaptive,window=1,dwell=1,min_gain=0,table_size=64KiB")
              .memory(memory)
              .memtableBytes(256 << 10)
              .compactionSlots(2)
              .durability(Durability.BUFFERED)
              .build();
      Store store = Store.open(new MemDisk(), options, new Hasty());
      try (store) {
        for (int life = 0; life < LIVES; life++) {
          Family family = store.createFamily("users");
          AtomicReference<Throwable> end = new AtomicReference<>();
          CountDownLatch begun = new CountDownLatch(1_000);
          Thread user = new Thread(() -> end.set(useUntilGone(family, store, begun)));
          user.start();
          begun.await();
          store.family("default").policy("adaptive,window=1,dwell=1,rung=" + life);
          if (life == LIVES - 1) {
            store.close();
          } else {
            store.dropFamily("users");
            assertThat(store.parts().lifecycle.tuning().ended()).isFalse();
          }
          user.join();
          assertThat(end.get()).isInstanceOf(ClosedException.class);
        }
      }
      assertThat(memory.usedBytes()).isZero();
    }
  }

  private static Throwable useUntilGone(Family family, Store store, CountDownLatch begun) {
    byte[] key = new byte[4];
    byte[] value = new byte[4000];
    try {
      for (int i = 0; ; i++) {
        key[0] = (byte) (i * 31);
        key[1] = (byte) i;
        family.put(key, value);
        store.put(key, value);
        assertThat(family.get(key)).hasSize(value.length);
        begun.countDown();
      }
    } catch (RuntimeException | AssertionError e) {
      while (begun.getCount() > 0) {
        begun.countDown();
      }
      return e;
    }
  }
}
