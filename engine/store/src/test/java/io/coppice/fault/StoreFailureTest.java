// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.ClosedException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.StalledException;
import io.coppice.io.ErrorDisk;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.PowerDisk;
import io.coppice.io.TapDisk;
import io.coppice.load.DeterministicStore;
import io.coppice.manifest.ManifestReader;
import io.coppice.table.TableMeta;
import io.coppice.testing.Seeds;
import io.coppice.write.Precondition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a store does when an engine thread meets what it cannot foresee. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreFailureTest {

  private static final byte[] A = "a".getBytes(UTF_8);
  private static final byte[] B = "b".getBytes(UTF_8);
  private static final byte[] C = "c".getBytes(UTF_8);

  private volatile Runnable tap = () -> {};

  private Store open() throws IOException {
    return open(StoreOptions.builder());
  }

  private Store open(StoreOptions.Builder options) throws IOException {
    return TestStores.open(new TapDisk(new MemDisk(), () -> tap.run()), options.build());
  }

  /** Fails what the thread does to the disk, but for its first few operations. */
  private void failIn(String threadSuffix, int spared) {
    AtomicInteger left = new AtomicInteger(spared);
    tap =
        () -> {
          if (Thread.currentThread().getName().endsWith(threadSuffix)
              && left.getAndDecrement() <= 0) {
            throw new OutOfMemoryError("as asked");
          }
        };
  }

  @Test
  void anErrorInAGroupFailsEveryWriteOfTheGroup() throws Exception {
    try (Store store = open()) {
      CountDownLatch committing = new CountDownLatch(1);
      CountDownLatch queued = new CountDownLatch(1);
      tap =
          () -> {
            tap =
                () -> {
                  throw new OutOfMemoryError("as asked");
                };
            committing.countDown();
            await(queued);
          };
      FutureTask<Void> first = run(() -> store.put(A, A));
      committing.await();
      List<FutureTask<Void>> group = new ArrayList<>();
      List<Thread> writers = new ArrayList<>();
      for (byte[] key : List.of(B, C)) {
        group.add(new FutureTask<>(() -> store.put(key, key), null));
        Thread writer = new Thread(group.get(group.size() - 1));
        writers.add(writer);
        writer.start();
      }
      while (!writers.stream().allMatch(each -> each.getState() == Thread.State.WAITING)) {
        Thread.onSpinWait();
      }
      queued.countDown();
      for (FutureTask<Void> write : group) {
        assertThatThrownBy(write::get).hasRootCauseInstanceOf(OutOfMemoryError.class);
      }
      tap = () -> {};
      assertThatThrownBy(first::get).hasRootCauseInstanceOf(OutOfMemoryError.class);
      assertThat(store.get(B)).isNull();
      assertThatThrownBy(() -> store.put(B, B)).isInstanceOf(ReadOnlyException.class);
    }
  }

  /** Starts calls that wait while a first write is committed, so that they form the next group. */
  private List<FutureTask<Void>> group(Store store, Runnable before, Runnable... calls)
      throws Exception {
    CountDownLatch committing = new CountDownLatch(1);
    CountDownLatch queued = new CountDownLatch(1);
    FutureTask<Void> first = new FutureTask<>(() -> store.put(A, A), null);
    Thread leader = new Thread(first);
    tap =
        () -> {
          if (Thread.currentThread() == leader) {
            // A flush of earlier writes may still run.
            tap =
                () -> {
                  if (Thread.currentThread() == leader) {
                    before.run();
                  }
                };
            committing.countDown();
            await(queued);
          }
        };
    leader.start();
    committing.await();
    List<FutureTask<Void>> group = new ArrayList<>();
    for (Runnable call : calls) {
      FutureTask<Void> task = new FutureTask<>(call, null);
      group.add(task);
      Thread thread = new Thread(task);
      thread.start();
      while (thread.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
    }
    queued.countDown();
    first.get();
    return group;
  }

  @Test
  void anErrorOfAConditionFailsItsOwnWriteAlone() throws Exception {
    try (Store store = open()) {
      WriteBatch batch = new WriteBatch().put(B, B);
      BooleanSupplier holds =
          () -> {
            throw new AssertionError("as asked");
          };
      List<FutureTask<Void>> group =
          group(
              store,
              () -> {},
              () -> store.put(C, C),
              () ->
                  TestStores.writes(store)
                      .commitIf(
                          TestStores.entries(batch), Durability.SYNC, new Precondition(B, holds)));
      group.get(0).get();
      assertThatThrownBy(group.get(1)::get).hasCauseInstanceOf(AssertionError.class);
      assertThat(store.get(B)).isNull();
      assertThat(store.get(C)).isEqualTo(C);
      store.put(B, B);
    }
  }

  @Test
  void aDeletionOnAFullDiskSucceedsThoughAValueIsInItsGroup() throws Exception {
    MemDisk memory = new MemDisk();
    StoreOptions options = StoreOptions.builder().memtableBytes(64 << 10).build();
    try (Store store = TestStores.open(new TapDisk(memory, () -> tap.run()), options)) {
      byte[] value = new byte[10_000];
      new Random(1).nextBytes(value);
      for (int i = 0; i < 100; i++) {
        store.put(new byte[] {(byte) i}, value);
      }
      store.put(B, B);
      store.compact();
      assertThat(memory.list()).contains("RESERVE");
      List<FutureTask<Void>> group =
          group(
              store,
              () -> {
                // The first write is synced now.
                tap = () -> {};
                memory.capacity(Long.MAX_VALUE - memory.freeBytes());
              },
              () -> store.delete(B),
              () -> store.put(C, value));
      // The reserve may be there again by now, as the flush of the deletion gives room back.
      group.get(0).get();
      assertThat(store.get(B)).isNull();
    }
  }

  @Test
  void aFlushWithoutHeapIsTriedAgainAndHangsNobody() throws IOException {
    try (Store store = open()) {
      store.put(A, A);
      failIn("-flush", 0);
      assertThatThrownBy(store::flush)
          .isInstanceOf(StalledException.class)
          .hasMessageContaining("heap")
          .hasRootCauseInstanceOf(OutOfMemoryError.class);
      store.put(B, B);
      tap = () -> {};
      store.flush();
      assertThat(store.get(A)).isEqualTo(A);
      assertThat(store.get(B)).isEqualTo(B);
    }
  }

  @Test
  void anErrorBeforeAWriteIsLoggedLeavesTheStoreAsItWas() throws IOException {
    MemDisk memory = new MemDisk();
    try (Store store =
        TestStores.open(new TapDisk(memory, () -> tap.run()), StoreOptions.defaults())) {
      for (Error error : List.of(new OutOfMemoryError("as asked"), new StackOverflowError())) {
        tap =
            () -> {
              tap = () -> {};
              throw error;
            };
        assertThatThrownBy(() -> store.put(A, A)).isSameAs(error);
        assertThat(store.get(A)).isNull();
        store.put(B, B);
      }
      assertThat(store.get(B)).isEqualTo(B);
    }
    try (Store store = TestStores.open(memory.kill(), StoreOptions.defaults())) {
      assertThat(store.get(A)).isNull();
      assertThat(store.get(B)).isEqualTo(B);
    }
  }

  @Test
  void anErrorWhileALongLogIsSyncedInStepsMakesTheStoreReadOnly() throws IOException {
    try (Store store = open(StoreOptions.builder().durability(Durability.BUFFERED))) {
      failIn("-log", 0);
      byte[] value = new byte[1 << 20];
      assertThatThrownBy(
              () -> {
                while (true) {
                  store.put(A, value);
                }
              })
          .isInstanceOf(ReadOnlyException.class)
          .hasRootCauseInstanceOf(OutOfMemoryError.class);
      assertThat(store.get(A)).isEqualTo(value);
    }
  }

  @Test
  void anErrorInAMergeIsReportedAndTheNextMergeGoesOn() throws IOException {
    try (Store store = open()) {
      twoRuns(store);
      // Spared is the edit that gives the new run its place: one write and one sync.
      failIn("-merge-0", 2);
      assertThatThrownBy(store::compact).hasRootCauseInstanceOf(OutOfMemoryError.class);
      tap = () -> {};
      store.put(A, C);
      store.put(C, C);
      store.compact();
      assertThat(store.stats().levels().get(0).runs()).isZero();
      assertThat(store.get(A)).isEqualTo(C);
    }
  }

  @Test
  void aFailureOfTheManifestInAMergeMakesTheStoreReadOnly() throws IOException {
    MemDisk memory = new MemDisk();
    MetricRegistry metrics = new MetricRegistry();
    StoreOptions options = StoreOptions.builder().name("failing").metrics(metrics).build();
    try (Store store = TestStores.open(new TapDisk(memory, () -> tap.run()), options)) {
      twoRuns(store);
      Gauge<?> readOnly = metrics.getGauges().get("coppice.failing.ReadOnly");
      assertThat(readOnly.getValue()).isEqualTo(0L);
      tap =
          () -> {
            if (Thread.currentThread().getName().endsWith("-merge-0")) {
              throw StoreFailureTest.<RuntimeException>unchecked(new IOException("as asked"));
            }
          };
      assertThatThrownBy(store::compact).hasRootCauseInstanceOf(IOException.class);
      tap = () -> {};
      assertThatThrownBy(() -> store.put(B, B)).isInstanceOf(ReadOnlyException.class);
      assertThatThrownBy(store::compact).isInstanceOf(ReadOnlyException.class);
      assertThat(readOnly.getValue()).isEqualTo(1L);
      assertThat(store.get(A)).isEqualTo(B);
    }
    try (Store store = TestStores.open(memory.crash(), StoreOptions.defaults())) {
      assertThat(store.get(A)).isEqualTo(B);
    }
  }

  @Test
  void aWriterDoesNotWaitForMergesThatFail() throws IOException {
    ErrorDisk disk = new ErrorDisk(new MemDisk());
    StoreOptions options = StoreOptions.builder().policy("leveled,l0_trigger=2").build();
    try (Store store = TestStores.open(disk, options)) {
      disk.fail(
          ErrorDisk.Operation.CREATE,
          name -> Thread.currentThread().getName().endsWith("-merge-0"),
          1,
          true);
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 100; i++) {
                  store.put(A, A);
                  store.put(new byte[] {(byte) i}, A);
                  store.put(C, C);
                  store.flush();
                }
              })
          .isInstanceOf(StalledException.class)
          .hasMessageContaining(ErrorDisk.MESSAGE);
      int runs = store.stats().levels().get(0).runs();
      disk.heal();
      store.put(B, B);
      store.flush();
      assertThat(store.get(B)).isEqualTo(B);
      assertThat(runs).isGreaterThan(40);
      assertThat(store.get(new byte[] {(byte) (runs - 1)})).isEqualTo(A);
    }
  }

  @Test
  void writersOfAFamilyDoNotMindThatMergesOfAnotherFail() throws IOException {
    MemDisk disk = new MemDisk();
    StoreOptions options =
        StoreOptions.builder()
            .policy("leveled,l0_trigger=2")
            .compactionSlots(2)
            .compactionRate(10_000)
            .build();
    long seed = Seeds.seed(4);
    byte[] value = new byte[1_000];
    Seeds.random(seed, 1).nextBytes(value);
    try (Store store = TestStores.open(disk, options)) {
      store.createFamily("other");
      store.pauseCompaction();
      for (int i = 0; i < 4; i++) {
        store.put(A, value);
        store.put(C, value);
        store.flush();
      }
    }
    disk = disk.reopen();
    for (TableMeta table : ManifestReader.read(disk).state().families().get(0).version().tables()) {
      String name = FileKind.TABLE.fileName(table.number());
      byte[] bytes = disk.bytes(name);
      bytes[200] ^= 1;
      disk.setBytes(name, bytes);
    }
    try (DeterministicStore opened = DeterministicStore.open(disk, options, seed)) {
      Store store = opened.store();
      Family other = store.family("other");
      store.pauseCompaction();
      for (int i = 0; i < 60; i++) {
        if (i == 44) {
          store.resumeCompaction();
        }
        other.put(A, value);
        other.put(C, value);
        store.flush();
      }
      assertThat(store.stats().families().get(0).failedPlans()).isGreaterThan(2);
      assertThat(store.stats().stalls()).isPositive();
    }
  }

  @Test
  void aFailureGoesWithThePolicyThatPlannedIt() throws IOException {
    PowerDisk power = new PowerDisk(new MemDisk());
    ErrorDisk disk = new ErrorDisk(power);
    StoreOptions options = StoreOptions.builder().policy("leveled,l0_trigger=2").build();
    try (DeterministicStore opened = DeterministicStore.open(power, disk, options, Seeds.seed(5))) {
      Store store = opened.store();
      store.pauseCompaction();
      twoRuns(store);
      twoRuns(store);
      disk.fail(
          ErrorDisk.Operation.CREATE, name -> FileKind.TABLE.numberOf(name).isPresent(), 1, true);
      store.resumeCompaction();
      assertThatThrownBy(store::awaitIdle).hasStackTraceContaining(ErrorDisk.MESSAGE);
      store.policy("leveled,l0_trigger=64");
      store.awaitIdle();
      assertThat(store.stats().levels().get(0).runs()).isEqualTo(4);
    }
  }

  @Test
  void aBatchThatTakesTheLastMemoryDoesNotStopThoseAfterIt() throws IOException {
    MemoryBudget memory = MemoryBudget.ofMebibytes(4);
    StoreOptions.Builder options =
        StoreOptions.builder().memory(memory).memtableBytes(1 << 20).filterBits(0);
    try (Store store = open(options)) {
      byte[] value = new byte[(3 << 20) - (64 << 10)];
      try {
        store.put(A, value);
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageContaining("does not fit");
      }
      store.put(B, B);
      store.flush();
      assertThat(store.get(B)).isEqualTo(B);
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void runsThatThePolicyLeavesAloneStopNoWriter() throws IOException {
    try (Store store = open(StoreOptions.builder().policy("leveled,l0_trigger=64"))) {
      for (int i = 0; i < 60; i++) {
        store.put(new byte[] {(byte) i}, A);
        store.flush();
      }
      assertThat(store.stats().levels().get(0).runs()).isEqualTo(60);
      assertThat(store.stats().stalls()).isZero();
    }
  }

  @Test
  void aCursorOpenedWhileTheStoreClosesIsRefused() throws Exception {
    Store store = open();
    store.put(A, A);
    CountDownLatch flushing = new CountDownLatch(1);
    CountDownLatch tried = new CountDownLatch(1);
    tap =
        () -> {
          if (Thread.currentThread().getName().endsWith("-flush")) {
            flushing.countDown();
            await(tried);
          }
        };
    FutureTask<Void> closing = run(store::close);
    flushing.await();
    try {
      assertThatThrownBy(() -> store.cursor(KeyRange.all())).isInstanceOf(ClosedException.class);
      assertThatThrownBy(store::snapshot).isInstanceOf(ClosedException.class);
    } finally {
      tried.countDown();
    }
    closing.get(60, TimeUnit.SECONDS);
  }

  @Test
  void idleMeansThatWhatWasSealedIsInTables() throws Exception {
    StoreOptions.Builder options =
        StoreOptions.builder().memtableBytes(64 << 10).durability(Durability.NONE);
    try (Store store = open(options)) {
      CountDownLatch flushing = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      tap =
          () -> {
            if (Thread.currentThread().getName().endsWith("-flush")) {
              flushing.countDown();
              await(go);
            }
          };
      store.put(A, new byte[60 << 10]);
      store.put(B, new byte[60 << 10]);
      flushing.await();
      FutureTask<Void> idle = new FutureTask<>(store::awaitIdle, null);
      Thread waiter = new Thread(idle);
      waiter.start();
      while (waiter.isAlive() && waiter.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      go.countDown();
      idle.get(60, TimeUnit.SECONDS);
      assertThat(store.stats().flushes()).isEqualTo(1);
    }
  }

  private static void twoRuns(Store store) {
    store.put(A, A);
    store.put(C, A);
    store.flush();
    store.put(A, B);
    store.put(C, B);
    store.flush();
  }

  private static FutureTask<Void> run(Runnable action) {
    FutureTask<Void> task = new FutureTask<>(action, null);
    new Thread(task).start();
    return task;
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> E unchecked(Throwable problem) throws E {
    throw (E) problem;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
