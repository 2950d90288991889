// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.CorruptionException;
import io.coppice.base.Durability;
import io.coppice.base.FailingBudget;
import io.coppice.base.MemoryBudget;
import io.coppice.io.ErrorDisk;
import io.coppice.io.ErrorDisk.Operation;
import io.coppice.io.MemDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cursor that cannot be opened keeps nothing, wherever its opening fails. */
class CursorOpeningTest {

  private static final int ROUNDS = 40;

  /** What the clock throws in place of a time; null for the time. */
  private volatile Throwable clockThrows;

  private long now() {
    Throwable thrown = clockThrows;
    if (thrown instanceof Error error) {
      throw error;
    }
    if (thrown != null) {
      throw (RuntimeException) thrown;
    }
    return 1;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private StoreOptions.Builder options(MemoryBudget memory) {
    return TestStores.clock(TestStores.warmBytes(StoreOptions.builder(), 0), this::now)
        .policy("tiered,trigger=64")
        .memory(memory)
        .memtableBytes(64 << 10)
        .durability(Durability.BUFFERED);
  }

  /** A table with a range deletion, then a memtable with another. */
  private static void fill(Store store) {
    for (int i = 0; i < 100; i++) {
      store.put(bytes("k" + i), new byte[50]);
    }
    store.deleteRange(bytes("k3"), bytes("k4"));
    store.flush();
  }

  /** Opens a cursor in each way; each time it fails or shows the first key. */
  private static int failures(Store store, Class<? extends Throwable> expected) {
    int failed = 0;
    try (Snapshot snapshot = store.snapshot()) {
      List<Callable<Cursor>> openings =
          List.of(
              () -> store.cursor(KeyRange.all()),
              () -> store.family("default").cursor(KeyRange.from(bytes("k0"))),
              () -> snapshot.cursor(KeyRange.prefix(bytes("k"))));
      for (Callable<Cursor> opening : openings) {
        try (Cursor cursor = opening.call()) {
          assertThat(cursor.valid()).isFalse();
        } catch (Throwable e) {
          assertThat(e).isInstanceOf(expected);
          failed++;
        }
        assertThat(TestStores.openHandles(store)).isOne();
      }
    }
    return failed;
  }

  /** Fails again and again beside writes, which go on; nothing is left when the store is closed. */
  private interface Failing {
    void run(Store store) throws Exception;
  }

  private static void holdsNothing(Store store, MemoryBudget memory, Failing failing)
      throws Exception {
    try (store) {
      long bytes = 0;
      for (int i = 0; i < ROUNDS; i++) {
        store.put(bytes("z" + i), new byte[100]);
        failing.run(store);
        store.flush();
        long used = memory.usedBytes(MemoryBudget.Role.MEMTABLE);
        bytes = i == 0 ? used : bytes;
        assertThat(used).isLessThanOrEqualTo(bytes);
      }
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void aDamagedTableFailsCursorsAloneAndKeepsNoMemtable(@TempDir Path directory) throws Exception {
    MemoryBudget memory = MemoryBudget.ofMebibytes(16);
    try (Store store = Store.open(directory, options(memory).build())) {
      fill(store);
    }
    Path table;
    try (Stream<Path> files = Files.list(directory)) {
      table = files.filter(file -> file.toString().endsWith(".tbl")).findFirst().orElseThrow();
    }
    byte[] contents = Files.readAllBytes(table);
    contents[contents.length - 20] ^= 1;
    Files.write(table, contents);
    holdsNothing(
        Store.open(directory, options(memory).build()),
        memory,
        store -> assertThat(failures(store, CorruptionException.class)).isEqualTo(3));
  }

  @Test
  void aClockThatThrowsKeepsNoMemtable() throws Exception {
    List<Throwable> thrown =
        List.of(
            new IllegalStateException("no time"),
            new OutOfMemoryError("no memory for the time"),
            new StackOverflowError(),
            new AssertionError("no time"));
    MemoryBudget memory = MemoryBudget.ofMebibytes(16);
    Store opened = TestStores.open(new MemDisk(), options(memory).build());
    fill(opened);
    holdsNothing(
        opened,
        memory,
        store -> {
          for (Throwable one : thrown) {
            clockThrows = one;
            try {
              assertThat(failures(store, one.getClass())).isEqualTo(3);
            } finally {
              clockThrows = null;
            }
          }
          assertThat(failures(store, Throwable.class)).isZero();
        });
  }

  @Test
  void aFailureOfAnyReadKeepsNoMemtable() throws Exception {
    for (Operation operation : List.of(Operation.OPEN, Operation.MAP, Operation.READ)) {
      boolean fired = true;
      for (int n = 1; fired; n++) {
        MemoryBudget memory = MemoryBudget.ofMebibytes(16);
        MemDisk bare = new MemDisk();
        try (Store store = TestStores.open(bare, options(memory).build())) {
          fill(store);
        }
        ErrorDisk disk = new ErrorDisk(bare.kill());
        try (Store store = TestStores.open(disk, options(memory).build())) {
          store.put(bytes("z"), new byte[100]);
          disk.fail(operation, name -> name.endsWith(".tbl"), n, false);
          int failed = failures(store, RuntimeException.class);
          fired = disk.fired();
          assertThat(failed).isLessThanOrEqualTo(fired ? 1 : 0);
        }
        assertThat(memory.usedBytes()).isZero();
      }
    }
  }

  @Test
  void memoryThatIsRefusedFailsNoCursorAndAnErrorKeepsNothing() throws Exception {
    for (boolean byError : new boolean[] {false, true}) {
      boolean fired = true;
      for (int n = 1; fired; n++) {
        FailingBudget failing = new FailingBudget(16 << 20);
        MemDisk bare = new MemDisk();
        try (Store store = TestStores.open(bare, options(failing.budget()).build())) {
          fill(store);
        }
        try (Store store = TestStores.open(bare.kill(), options(failing.budget()).build())) {
          store.put(bytes("z"), new byte[100]);
          failing.fail(n, false, byError);
          failures(store, OutOfMemoryError.class);
          fired = failing.fired();
          failing.heal();
        }
        assertThat(failing.budget().usedBytes()).isZero();
      }
    }
  }

  @Test
  void aDroppedFamilyAndAClosedStoreOpenNoCursor() throws IOException {
    MemoryBudget memory = MemoryBudget.ofMebibytes(16);
    Store store = TestStores.open(new MemDisk(), options(memory).family("f", "leveled").build());
    Family family = store.family("f");
    family.put(bytes("a"), new byte[1]);
    Snapshot snapshot = store.snapshot();
    store.dropFamily("f");
    assertThatThrownBy(() -> family.cursor(KeyRange.all())).hasMessageContaining("closed");
    assertThatThrownBy(() -> snapshot.cursor(family, KeyRange.all()))
        .hasMessageContaining("closed");
    assertThat(TestStores.openHandles(store)).isOne();
    store.close();
    assertThatThrownBy(() -> store.cursor(KeyRange.all())).hasMessageContaining("closed");
    assertThat(memory.usedBytes()).isZero();
  }
}
