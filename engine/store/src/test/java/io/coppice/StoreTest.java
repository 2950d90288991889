// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.coppice.base.ClosedException;
import io.coppice.base.CorruptionException;
import io.coppice.base.Durability;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.Limits;
import io.coppice.base.LockedException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.ReadOnlyException;
import io.coppice.io.ErrorDisk;
import io.coppice.io.MemDisk;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreTest {

  private static final byte[] A = "a".getBytes(UTF_8);
  private static final byte[] B = "b".getBytes(UTF_8);
  private static final byte[] C = "c".getBytes(UTF_8);

  @TempDir Path directory;

  @Test
  void whatWasWrittenIsThereAfterReopening() {
    try (Store store = Store.open(directory)) {
      store.put(A, B);
      store.put(ByteBuffer.wrap(B), ByteBuffer.wrap(C));
      store.delete(A);
      assertThat(store.get(A)).isNull();
    }
    try (Store store = Store.open(directory)) {
      assertThat(store.get(A)).isNull();
      assertThat(store.get(B)).isEqualTo(C);
    }
  }

  @Test
  void theEmptyKeyAndTheEmptyValueAreOrdinary() {
    try (Store store = Store.open(directory)) {
      store.put(new byte[0], new byte[0]);
      store.flush();
      assertThat(store.get(new byte[0])).isEmpty();
      try (Cursor cursor = store.cursor(KeyRange.all())) {
        cursor.first();
        assertThat(cursor.key()).isEmpty();
        cursor.next();
        assertThat(cursor.valid()).isFalse();
      }
    }
  }

  @Test
  void aSnapshotDoesNotSeeLaterWrites() {
    try (Store store = Store.open(directory)) {
      store.put(A, A);
      try (Snapshot snapshot = store.snapshot()) {
        store.put(A, B);
        store.delete(B);
        store.compact();
        assertThat(snapshot.get(A)).isEqualTo(A);
        assertThat(store.get(A)).isEqualTo(B);
      }
    }
  }

  @Test
  void aCursorShowsItsOwnViewToTheEnd() {
    try (Store store = Store.open(directory)) {
      store.put(A, A);
      store.put(B, B);
      try (Cursor cursor = store.cursor(KeyRange.all())) {
        cursor.first();
        store.delete(B);
        store.put(C, C);
        store.compact();
        cursor.next();
        assertThat(cursor.key()).isEqualTo(B);
        cursor.next();
        assertThat(cursor.valid()).isFalse();
      }
    }
  }

  @Test
  void aSecondStoreIsRefusedAndToldWhoHoldsTheDirectory() {
    try (Store store = Store.open(directory)) {
      assertThatThrownBy(() -> Store.open(directory))
          .isInstanceOf(LockedException.class)
          .hasMessageContaining(Long.toString(ProcessHandle.current().pid()));
      store.put(A, B);
    }
    Store.open(directory).close();
  }

  @Test
  void everyWrongOptionIsReportedAtOnce() {
    StoreOptions.Builder builder =
        StoreOptions.builder()
            .policy("split-forest,fanout=99,colour=red,table_size=tiny")
            .memtableBytes(1)
            .filterBits(3)
            .compactionSlots(0)
            .io("tape");
    assertThatThrownBy(builder::build)
        .isInstanceOfSatisfying(
            InvalidOptionsException.class, e -> assertThat(e.errors()).hasSize(7))
        .hasMessageContaining("fanout (99)")
        .hasMessageContaining("2..32")
        .hasMessageContaining("colour")
        .hasMessageContaining("table_size (tiny)")
        .hasMessageContaining("memtableBytes (1)")
        .hasMessageContaining("filterBits (3)")
        .hasMessageContaining("compactionSlots (0)")
        .hasMessageContaining("io (tape)");
  }

  @Test
  void keysAndValuesOverTheLimitAreRefused() {
    try (Store store = Store.open(directory)) {
      byte[] key = new byte[Limits.MAX_KEY_BYTES];
      store.put(key, A);
      assertThat(store.get(key)).isEqualTo(A);
      byte[] tooLong = new byte[Limits.MAX_KEY_BYTES + 1];
      assertThatThrownBy(() -> store.put(tooLong, A))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("65536")
          .hasMessageContaining("65535");
      assertThatThrownBy(() -> store.get(tooLong)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> new WriteBatch().put(A, new byte[Limits.MAX_VALUE_BYTES + 1]))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> store.put(null, A)).isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> store.get((byte[]) null)).isInstanceOf(NullPointerException.class);
    }
  }

  @Test
  void anEmptyBatchThatIsSyncedTakesEarlierWritesWithIt() throws IOException {
    MemDisk disk = new MemDisk();
    MemDisk after;
    try (Store store = Store.open(disk, StoreOptions.defaults())) {
      store.write(new WriteBatch().put(A, A), Durability.BUFFERED);
      store.write(new WriteBatch(), Durability.BUFFERED);
      assertThat(isThere(disk.crash())).isFalse();
      store.write(new WriteBatch(), Durability.SYNC);
      after = disk.crash();
    }
    assertThat(isThere(after)).isTrue();
  }

  private static boolean isThere(MemDisk disk) throws IOException {
    try (Store store = Store.open(disk, StoreOptions.defaults())) {
      return store.get(A) != null;
    }
  }

  @Test
  void aBatchLargerThanTheMemoryIsRefusedAndTheStoreGoesOn() {
    StoreOptions options =
        StoreOptions.builder().memory(MemoryBudget.ofMebibytes(8)).memtableBytes(1 << 20).build();
    try (Store store = Store.open(directory, options)) {
      assertThatThrownBy(() -> store.put(A, new byte[9 << 20]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("memory budget");
      store.put(A, new byte[3 << 20]);
      store.put(B, B);
      assertThat(store.get(A)).hasSize(3 << 20);
    }
  }

  @Test
  void closedThingsSaySo() {
    Store store = Store.open(directory);
    store.put(A, A);
    Snapshot snapshot = store.snapshot();
    Cursor cursor = store.cursor(KeyRange.all());
    assertThatThrownBy(cursor::key).isInstanceOf(NoSuchElementException.class);
    snapshot.close();
    snapshot.close();
    assertThatThrownBy(() -> snapshot.get(A))
        .isInstanceOf(ClosedException.class)
        .hasMessageContaining("the snapshot");
    store.close();
    store.close();
    assertThatThrownBy(cursor::first)
        .isInstanceOf(ClosedException.class)
        .hasMessageContaining("the cursor");
    cursor.close();
    List<Runnable> uses =
        List.of(
            () -> store.get(A),
            () -> store.put(A, A),
            store::snapshot,
            () -> store.cursor(KeyRange.all()),
            store::flush,
            store::compact,
            store::sync,
            store::stats,
            store::awaitIdle);
    for (Runnable use : uses) {
      assertThatThrownBy(use::run)
          .isInstanceOf(ClosedException.class)
          .hasMessageContaining("the store");
    }
  }

  @Test
  void readersSurviveAStoreThatCloses() throws Exception {
    Store store = Store.open(directory, small("split-forest,table_size=4KiB"));
    for (int i = 0; i < 5_000; i++) {
      store.put(("k" + i).getBytes(UTF_8), new byte[40]);
    }
    List<Thread> readers = new ArrayList<>();
    List<Throwable> wrong = new ArrayList<>();
    for (int r = 0; r < 4; r++) {
      Thread reader =
          new Thread(
              () -> {
                try {
                  for (int i = 0; ; i++) {
                    store.get(("k" + i % 5_000).getBytes(UTF_8));
                  }
                } catch (ClosedException e) {
                  // What a reader must be told.
                } catch (Throwable e) {
                  synchronized (wrong) {
                    wrong.add(e);
                  }
                }
              });
      readers.add(reader);
      reader.start();
    }
    store.close();
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void memoryComesOutOfTheBudgetAndGoesBack() {
    MemoryBudget memory = MemoryBudget.ofMebibytes(32);
    StoreOptions options =
        StoreOptions.builder()
            .memory(memory)
            .memtableBytes(2 << 20)
            .durability(Durability.BUFFERED)
            .build();
    try (Store store = Store.open(directory, options)) {
      for (int i = 0; i < 40_000; i++) {
        store.put(("key" + i % 7_000).getBytes(UTF_8), new byte[200]);
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(memory.capacityBytes());
      }
      assertThat(memory.usedBytes()).isPositive();
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void figuresAppearInTheRegistryAndLeaveIt() {
    MetricRegistry registry = new MetricRegistry();
    StoreOptions options = StoreOptions.builder().metrics(registry).name("users").build();
    try (Store store = Store.open(directory, options)) {
      store.put(A, B);
      store.flush();
      assertThat(registry.counter("coppice.users.Flushes").getCount()).isEqualTo(1);
      assertThat(store.stats().flushes()).isEqualTo(1);
      assertThat(store.stats().tableBytes()).isPositive();
    }
    assertThat(registry.getNames()).isEmpty();
  }

  @Test
  void bytesThatOnlyACursorHoldsOnDiskAreAFigure() {
    try (Store store = Store.open(directory, small("split-forest,table_size=4KiB"))) {
      for (int i = 0; i < 2_000; i++) {
        store.put(("k" + i * 7919 % 300).getBytes(UTF_8), new byte[50]);
      }
      store.flush();
      store.awaitIdle();
      long before = store.stats().tableBytes();
      assertThat(store.stats().pinnedBytes()).isZero();
      try (Cursor cursor = store.cursor(KeyRange.all())) {
        cursor.first();
        store.put(A, B);
        store.compact();
        assertThat(store.stats().pinnedBytes()).isBetween(1L, before);
      }
      assertThat(store.stats().pinnedBytes()).isZero();
    }
  }

  @Test
  void tablesSharedByVirtualSegmentsCountOnce() {
    String policy =
        "delayed,l0_trigger=2,base_size=4KiB,table_size=4KiB,vct=30,max_pinned_ratio=50";
    try (Store store = Store.open(directory, small(policy))) {
      for (int i = 0; i < 3_000; i++) {
        store.put(("k" + i * 7919 % 900).getBytes(UTF_8), new byte[50]);
        if (i % 500 == 499) {
          store.flush();
          store.awaitIdle();
        }
      }
      store.awaitIdle();
      StoreStats stats = store.stats();
      assertThat(stats.delays()).isPositive();
      assertThat(stats.levels().stream().mapToInt(StoreStats.LevelStats::virtualSegments).sum())
          .isPositive();
      long shown = stats.levels().stream().mapToLong(StoreStats.LevelStats::bytes).sum();
      assertThat(shown).isPositive().isLessThanOrEqualTo(stats.tableBytes());
      assertThat(stats.tableBytes()).isLessThan(2 * stats.flushedBytes());
    }
  }

  @Test
  void aMajorCompactionLeavesOneRunAndNoDeletedKey() {
    try (Store store = Store.open(directory, small("split-forest,table_size=4KiB"))) {
      for (int i = 0; i < 20_000; i++) {
        byte[] key = ("k" + i * 7919 % 3_000).getBytes(UTF_8);
        if (i % 3 == 0) {
          store.delete(key);
        } else {
          store.put(key, new byte[50]);
        }
      }
      store.compact();
      long runs = store.stats().levels().stream().mapToInt(StoreStats.LevelStats::runs).sum();
      assertThat(runs).isEqualTo(1);
      assertThat(store.stats().mergeSteps()).isPositive();
      assertThat(store.decisions())
          .anyMatch(decision -> decision.question() == Decision.Question.EVERYTHING);
      assertThat(DecisionJournal.replay(store.decisions(), PolicySpec::policy)).isEmpty();
    }
  }

  @Test
  void sequentialLoadMovesAndRewritesNothing() {
    try (Store store = Store.open(directory, small("split-forest,table_size=8KiB"))) {
      for (int i = 0; i < 30_000; i++) {
        store.put(String.format("%08d", i).getBytes(UTF_8), new byte[60]);
      }
      store.flush();
      store.awaitIdle();
      assertThat(store.stats().moves()).isPositive();
      assertThat(store.stats().writeAmplification()).isLessThan(1.1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"WRITE", "SYNC"})
  void theFirstFailureOfTheLogMakesTheStoreReadOnly(ErrorDisk.Operation operation)
      throws IOException {
    MemDisk memory = new MemDisk();
    ErrorDisk disk = new ErrorDisk(memory);
    Store store = Store.open(disk, StoreOptions.defaults());
    store.put(A, A);
    disk.fail(operation, 1, false);
    assertThatThrownBy(() -> store.put(B, B)).isInstanceOf(ReadOnlyException.class);
    disk.heal();
    assertThatThrownBy(() -> store.put(C, C))
        .isInstanceOf(ReadOnlyException.class)
        .hasMessageContaining("reopen");
    assertThat(store.get(A)).isEqualTo(A);
    store.close();
    try (Store reopened = Store.open(memory.crash(), StoreOptions.defaults())) {
      assertThat(reopened.get(A)).isEqualTo(A);
      reopened.put(C, C);
    }
  }

  @Test
  void aTornLogTailIsDroppedAndDamageInTheMiddleIsReported() throws IOException {
    MemDisk disk = new MemDisk();
    Store store = Store.open(disk, StoreOptions.defaults());
    for (int i = 0; i < 50; i++) {
      store.put(("k" + i).getBytes(UTF_8), new byte[100]);
    }
    MemDisk torn = disk.kill();
    MemDisk damaged = disk.kill();
    store.close();
    String log = torn.list().stream().filter(name -> name.endsWith(".wal")).findAny().get();

    byte[] bytes = torn.bytes(log);
    torn.setBytes(log, Arrays.copyOf(bytes, bytes.length - 10));
    try (Store reopened = Store.open(torn, StoreOptions.defaults())) {
      assertThat(reopened.get("k48".getBytes(UTF_8))).hasSize(100);
      assertThat(reopened.get("k49".getBytes(UTF_8))).isNull();
    }

    bytes[bytes.length / 2] ^= 1;
    damaged.setBytes(log, bytes);
    assertThatThrownBy(() -> Store.open(damaged, StoreOptions.defaults()))
        .isInstanceOfSatisfying(
            CorruptionException.class,
            e -> {
              assertThat(e.file()).isEqualTo(log);
              assertThat(e.offset()).isBetween(bytes.length / 2L - 200, bytes.length / 2L);
            });
  }

  @Test
  void aDamagedTableIsReportedAndTheOthersStayReadable() throws IOException {
    try (Store store = Store.open(directory, small("split-forest,table_size=4KiB"))) {
      for (int i = 0; i < 400; i++) {
        store.put(String.format("%05d", i).getBytes(UTF_8), new byte[100]);
      }
    }
    Path table;
    try (Stream<Path> files = Files.list(directory)) {
      table = files.filter(file -> file.toString().endsWith(".tbl")).sorted().findFirst().get();
    }
    byte[] bytes = Files.readAllBytes(table);
    bytes[1_000] ^= 4;
    Files.write(table, bytes);
    int damaged = 0;
    int found = 0;
    try (Store store = Store.open(directory, small("split-forest,table_size=4KiB"))) {
      for (int i = 0; i < 400; i++) {
        try {
          assertThat(store.get(String.format("%05d", i).getBytes(UTF_8))).hasSize(100);
          found++;
        } catch (CorruptionException e) {
          assertThat(e.file()).isEqualTo(table.getFileName().toString());
          damaged++;
        }
      }
    }
    assertThat(damaged).isPositive();
    assertThat(found).isGreaterThan(300);
  }

  @Test
  void aCursorReportsATableThatCannotBeOpenedEachTime() throws IOException {
    try (Store store = Store.open(directory, small("split-forest,table_size=4KiB"))) {
      for (int i = 0; i < 400; i++) {
        store.put(key(i), new byte[100]);
      }
      store.compact();
    }
    List<Path> tables;
    try (Stream<Path> files = Files.list(directory)) {
      tables = files.filter(file -> file.toString().endsWith(".tbl")).sorted().toList();
    }
    Path damaged = tables.get(1);
    byte[] bytes = Files.readAllBytes(damaged);
    Files.write(damaged, Arrays.copyOf(bytes, bytes.length / 2));
    try (Store store = Store.open(directory, small("split-forest,table_size=4KiB"));
        Cursor cursor = store.cursor(KeyRange.all())) {
      cursor.first();
      byte[] last = new byte[0];
      while (true) {
        try {
          last = cursor.key();
          cursor.next();
        } catch (CorruptionException e) {
          break;
        }
      }
      assertThat(cursor.valid()).isFalse();
      byte[] next = key(Integer.parseInt(new String(last, UTF_8)) + 1);
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> cursor.seek(next)).isInstanceOf(CorruptionException.class);
        assertThat(cursor.valid()).isFalse();
      }
      cursor.first();
      assertThat(cursor.key()).isEqualTo(key(0));
    }
  }

  private static byte[] key(int number) {
    return String.format("%05d", number).getBytes(UTF_8);
  }

  private static StoreOptions small(String policy) {
    return StoreOptions.builder()
        .policy(policy)
        .memory(MemoryBudget.ofMebibytes(16))
        .memtableBytes(64 << 10)
        .durability(Durability.BUFFERED)
        .build();
  }

  @Test
  void aThreadKeepsNothingOfAClosedStoreThatItUsed(@TempDir Path other) {
    WeakReference<Store> used = new WeakReference<>(useAndClose(other));

    for (int i = 0; i < 20 && used.get() != null; i++) {
      System.gc();
    }
    assertThat(used.get()).isNull();
  }

  private static Store useAndClose(Path directory) {
    try (Store store = Store.open(directory)) {
      store.put(new byte[] {1}, new byte[] {2}, Duration.ofDays(1));
      store.put(new byte[] {1}, new byte[] {2});
      assertThat(store.compareAndSet(new byte[] {1}, new byte[] {2}, new byte[] {3})).isTrue();
      assertThat(store.get(new byte[] {1})).containsExactly(3);
      store.delete(new byte[] {1});
      store.deleteRange(new byte[] {1}, new byte[] {2});
      assertThat(store.get(new byte[] {1})).isNull();
      assertThat(store.getAll(List.of(new byte[] {1}))).containsExactly((byte[]) null);
      try (Cursor cursor = store.cursor(KeyRange.all())) {
        cursor.first();
        assertThat(cursor.valid()).isFalse();
      }
      return store;
    }
  }
}
