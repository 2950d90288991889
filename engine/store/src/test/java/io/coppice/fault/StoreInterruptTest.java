// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.StalledException;
import io.coppice.io.MemDisk;
import io.coppice.io.TapDisk;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An interrupt ends the wait of its own thread, harms no other, and loses nothing. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreInterruptTest {

  private static final byte[] LARGE = new byte[60 << 10];

  private final MemDisk disk = new MemDisk();
  private final CountDownLatch go = new CountDownLatch(1);
  private final AtomicBoolean blocked = new AtomicBoolean();

  /** A store that may flush again once it is closed, so that a test which fails does not hang. */
  private final class Blocked implements AutoCloseable {
    final Store store;

    Blocked(Store store) {
      this.store = store;
    }

    @Override
    public void close() {
      go.countDown();
      store.close();
    }
  }

  /** A store whose flushes wait until they may go on. */
  private Blocked openBlocked() throws IOException {
    StoreOptions options =
        StoreOptions.builder().memtableBytes(64 << 10).durability(Durability.BUFFERED).build();
    blocked.set(true);
    Runnable tap =
        () -> {
          if (blocked.get() && Thread.currentThread().getName().endsWith("-flush")) {
            await(go);
          }
        };
    return new Blocked(TestStores.open(new TapDisk(disk, tap), options));
  }

  @AfterEach
  void unblock() {
    go.countDown();
  }

  /** Fills all memtables; the next write has to wait. */
  private static void fill(Store store) {
    for (String key : List.of("f1", "f2", "f3")) {
      store.put(bytes(key), LARGE);
    }
  }

  private static final class Call {
    final FutureTask<Void> task;
    final Thread thread;
    volatile boolean flagged;

    Call(Runnable action) {
      task =
          new FutureTask<>(
              () -> {
                try {
                  action.run();
                } finally {
                  flagged = Thread.currentThread().isInterrupted();
                }
              },
              null);
      thread = new Thread(task);
      thread.start();
    }

    Call waits() {
      while (!waitsInStore()) {
        assertThat(task.isDone()).as("it was to wait").isFalse();
        Thread.onSpinWait();
      }
      return this;
    }

    /** True if it waits for others; not for a lock, nor in code that loads a class. */
    private boolean waitsInStore() {
      if (thread.getState() != Thread.State.WAITING) {
        return false;
      }
      for (StackTraceElement frame : thread.getStackTrace()) {
        String in = frame.getClassName();
        if (in.startsWith("io.coppice.")) {
          return true;
        }
        if (in.endsWith("ReentrantLock")
            || !in.startsWith("java.util.concurrent.") && !in.startsWith("jdk.internal.misc.")) {
          return false;
        }
      }
      return false;
    }

    void get() throws Exception {
      task.get(60, TimeUnit.SECONDS);
    }

    void endsInterrupted() {
      thread.interrupt();
      assertThatThrownBy(this::get)
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOf(StalledException.class)
          .hasMessageContaining("was interrupted while it waited")
          .hasCauseInstanceOf(InterruptedException.class);
      assertThat(flagged).as("the interrupt is still set").isTrue();
    }
  }

  @Test
  void aStalledWriterGivesUpAndItsWriteHasNoEffect() throws Exception {
    try (Blocked held = openBlocked()) {
      Store store = held.store;
      fill(store);
      Call writer = new Call(() -> store.put(bytes("a"), LARGE)).waits();
      writer.endsInterrupted();
      go.countDown();
      store.put(bytes("b"), LARGE);
      assertThat(store.get(bytes("a"))).isNull();
      assertThat(store.get(bytes("b"))).isEqualTo(LARGE);
    }
    try (Store store = TestStores.open(disk.reopen(), StoreOptions.defaults())) {
      assertThat(store.get(bytes("a"))).isNull();
      assertThat(store.get(bytes("f3"))).isEqualTo(LARGE);
    }
  }

  @Test
  void whoQueuedBehindAWriterThatGaveUpIsServed() throws Exception {
    try (Blocked held = openBlocked()) {
      Store store = held.store;
      fill(store);
      Call leader = new Call(() -> store.put(bytes("leader"), LARGE)).waits();
      List<Call> queued = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        byte[] key = bytes("q" + i);
        // The first leads once the leader gives up, and must wait for a flush then too.
        byte[] value = i == 0 ? LARGE : key;
        queued.add(new Call(() -> store.put(key, value)).waits());
      }
      // One that waits in the queue, then the one that leads, then the one that leads after it.
      queued.remove(1).endsInterrupted();
      leader.endsInterrupted();
      Call next = queued.remove(0);
      next.endsInterrupted();
      go.countDown();
      for (Call call : queued) {
        call.get();
      }
      assertThat(store.get(bytes("leader"))).isNull();
      assertThat(store.get(bytes("q0"))).isNull();
      assertThat(store.get(bytes("q1"))).isNull();
      assertThat(store.get(bytes("q2"))).isEqualTo(bytes("q2"));
      assertThat(store.get(bytes("q3"))).isEqualTo(bytes("q3"));
    }
  }

  @Test
  void aBatchMayBeReusedAfterItsWriteWasInterrupted() throws Exception {
    try (Blocked held = openBlocked()) {
      Store store = held.store;
      fill(store);
      Call leader = new Call(() -> store.put(bytes("leader"), LARGE)).waits();
      WriteBatch batch = new WriteBatch().put(bytes("a"), bytes("old"));
      new Call(() -> store.write(batch)).waits().endsInterrupted();
      batch.clear();
      batch.put(bytes("b"), bytes("new"));
      go.countDown();
      leader.get();
      assertThat(store.get(bytes("a"))).isNull();
      assertThat(store.get(bytes("b"))).isNull();
      store.write(batch);
      assertThat(store.get(bytes("b"))).isEqualTo(bytes("new"));
    }
  }

  @Test
  void waitingForFlushesEndsWithAnInterrupt() throws Exception {
    try (Blocked held = openBlocked()) {
      Store store = held.store;
      store.put(bytes("a"), LARGE);
      new Call(store::flush).waits().endsInterrupted();
      for (Runnable quiet : List.<Runnable>of(store::awaitIdle, store::compact)) {
        Call call = new Call(quiet).waits();
        call.thread.interrupt();
        call.get();
        assertThat(call.flagged).isTrue();
      }
      go.countDown();
      store.flush();
      assertThat(store.get(bytes("a"))).isEqualTo(LARGE);
    }
  }

  @Test
  void whereThereIsNothingToWaitForAnInterruptDoesNotMatter() throws IOException {
    try (Store store = TestStores.open(disk, StoreOptions.defaults())) {
      Thread.currentThread().interrupt();
      store.put(bytes("a"), bytes("b"));
      store.sync();
      assertThat(store.get(bytes("a"))).isEqualTo(bytes("b"));
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    try (Store store = TestStores.open(disk.reopen(), StoreOptions.defaults())) {
      assertThat(store.get(bytes("a"))).isEqualTo(bytes("b"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mmap", "read"})
  @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aStormOfInterruptsFailsNobodyElse(String io, @TempDir Path directory) throws Exception {
    long seed = Seeds.seed(3);
    StoreOptions options =
        StoreOptions.builder()
            .io(io)
            .policy("split-forest,fanout=2,table_size=16KiB")
            .memory(MemoryBudget.ofMebibytes(16))
            .memtableBytes(64 << 10)
            .durability(Durability.BUFFERED)
            .build();
    int[] last = new int[4];
    try (Store store = Store.open(directory, options)) {
      List<Call> calls = new ArrayList<>();
      for (int i = 0; i < last.length; i++) {
        int writer = i;
        calls.add(
            new Call(() -> last[writer] = writeAndRead(store, writer, writer % 2 == 0, seed)));
      }
      Random random = Seeds.random(seed, 99);
      while (calls.stream().anyMatch(call -> !call.task.isDone())) {
        // Even ones are interrupted, odd ones must not notice.
        calls.get(2 * random.nextInt(2)).thread.interrupt();
        for (int i = random.nextInt(3_000); i > 0; i--) {
          Thread.onSpinWait();
        }
      }
      for (Call call : calls) {
        call.get();
      }
    }
    try (Store store = Store.open(directory, options)) {
      for (int i = 0; i < last.length; i++) {
        assertThat(store.get(bytes("w" + i))).isEqualTo(last[i] == 0 ? null : value(last[i]));
      }
    }
  }

  /** Returns the number written last. */
  private static int writeAndRead(Store store, int writer, boolean interrupted, long seed) {
    Random random = Seeds.random(seed, writer);
    byte[] key = bytes("w" + writer);
    int last = 0;
    for (int i = 1; i <= 1_500; i++) {
      try {
        if (i % 3 == 0) {
          // Whose key others of its group may have touched.
          assertThat(store.compareAndSet(key, last == 0 ? null : value(last), value(i))).isTrue();
        } else {
          store.put(key, value(i));
        }
        last = i;
        if (i % 100 == 0) {
          store.flush();
        }
      } catch (StalledException e) {
        assertThat(interrupted).as("a writer nobody interrupted: " + e).isTrue();
        Thread.interrupted();
      }
      assertThat(store.get(key)).isEqualTo(last == 0 ? null : value(last));
      store.get(bytes("w" + random.nextInt(4)));
      if (i % 50 == 0) {
        try (Cursor cursor = store.cursor(KeyRange.all())) {
          for (cursor.first(); cursor.valid(); cursor.next()) {
            assertThat(cursor.key()).hasSize(2);
          }
        }
      }
    }
    Thread.interrupted();
    return last;
  }

  private static byte[] value(int number) {
    return bytes(number + "-" + "x".repeat(number % 500));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
