// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.Family;
import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.CorruptionException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.ErrorDisk;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.manifest.ManifestReader;
import io.coppice.table.TableMeta;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link Store#compact} rewrites, and what it leaves. */
class MajorCompactionTest {

  private static final int KEYS = 600;

  /** A deletion of every tenth key. */
  private static final int FEW = 10;

  private static final String POLICY = "leveled,fanout=4,l0_trigger=4,table_size=4KiB";

  private static StoreOptions options() {
    return options(POLICY, 1);
  }

  private static StoreOptions options(String policy, int merges) {
    return StoreOptions.builder()
        .policy(policy)
        .compactionSlots(merges)
        .memory(MemoryBudget.ofMebibytes(16))
        .memtableBytes(1 << 20)
        .durability(Durability.BUFFERED)
        .build();
  }

  private static byte[] key(int number) {
    return String.format("key%04d", number).getBytes(StandardCharsets.US_ASCII);
  }

  private static void put(Store store, int from, int to, int step) {
    for (int i = from; i < to; i += step) {
      store.put(key(i), ("value of " + i + " ".repeat(40)).getBytes(StandardCharsets.US_ASCII));
    }
  }

  private static void delete(Store store, int from, int to, int step) {
    for (int i = from; i < to; i += step) {
      store.delete(key(i));
    }
  }

  private static List<TableMeta> tables(MemDisk disk) throws IOException {
    return ManifestReader.read(disk).state().families().get(0).version().tables().stream()
        .sorted(
            Comparator.comparing(table -> new String(table.smallestKey(), StandardCharsets.UTF_8)))
        .toList();
  }

  private static long deletions(MemDisk disk) throws IOException {
    return tables(disk).stream().mapToLong(TableMeta::tombstones).sum();
  }

  @Test
  void whatASnapshotPinsIsRewrittenOnceAndAgainWhenItIsClosed() throws IOException {
    MemDisk disk = new MemDisk();
    try (Store store = TestStores.open(disk, options())) {
      put(store, 0, KEYS, 1);
      store.compact();
      Snapshot first = store.snapshot();
      delete(store, 0, KEYS, 3);
      Snapshot second = store.snapshot();
      put(store, 1, KEYS, 3);
      store.compact();
      long merged = merged(store);
      assertThat(deletions(disk)).isEqualTo(KEYS / 3);

      store.compact();
      store.compact();
      assertThat(merged(store)).isEqualTo(merged);

      // Nothing more can go for it, as the other one is older.
      second.close();
      store.compact();
      merged = merged(store);
      store.compact();
      assertThat(merged(store)).isEqualTo(merged);
      assertThat(deletions(disk)).isEqualTo(KEYS / 3);

      first.close();
      store.compact();
      assertThat(merged(store)).isGreaterThan(merged);
      assertThat(deletions(disk)).isZero();
      assertThat(tables(disk).stream().mapToLong(TableMeta::entries).sum())
          .isEqualTo(KEYS - KEYS / 3);
    }
  }

  @Test
  void afterReopeningNothingIsPinned() throws IOException {
    MemDisk disk = oneRunOfDeletions();
    assertThat(deletions(disk)).isEqualTo(KEYS / FEW);
    try (Store store = TestStores.open(disk, options())) {
      store.compact();
      assertThat(deletions(disk)).isZero();
    }
  }

  private static long merged(Store store) {
    return store.stats().families().get(0).mergedBytes();
  }

  /**
   * Deletions that a merge could leave out lie in all tables of the last run. They are too few for
   * a rule that rewrites tables for their deletions.
   */
  private static MemDisk oneRunOfDeletions() throws IOException {
    MemDisk disk = new MemDisk();
    try (Store store = TestStores.open(disk, options())) {
      put(store, 0, KEYS, 1);
      store.compact();
      try (Snapshot snapshot = store.snapshot()) {
        delete(store, 0, KEYS, FEW);
        store.compact();
        assertThat(snapshot.get(key(FEW))).isNotNull();
      }
    }
    return disk.reopen();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDamagedTableIsLeftOutAndNamedOnceAllElseIsMerged(boolean index) throws IOException {
    MemDisk disk = oneRunOfDeletions();
    List<TableMeta> before = tables(disk);
    assertThat(before).hasSizeGreaterThan(8);
    TableMeta damaged = before.get(before.size() / 2);
    String name = FileKind.TABLE.fileName(damaged.number());
    byte[] bytes = disk.bytes(name);
    // In a block, which a merge finds, or at the end, which opening finds.
    bytes[index ? bytes.length - 30 : bytes.length / 2] ^= 1;
    disk.setBytes(name, bytes);

    try (Store store = TestStores.open(disk, options())) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(store::compact)
            .isInstanceOf(CorruptionException.class)
            .hasMessageStartingWith(name + " is damaged");
        assertThat(deletions(disk)).isEqualTo(damaged.tombstones());
        assertThat(tables(disk)).anyMatch(table -> table.number() == damaged.number());
      }
      // Flushes above it, of which one has to be merged with it.
      put(store, 0, KEYS, 7);
      assertThatThrownBy(store::compact).isInstanceOf(CorruptionException.class);
      assertThat(store.get(key(0))).isNotNull();
      assertThat(store.get(key(1))).isNotNull();
      assertThat(store.get(key(FEW))).isNull();
      assertThat(store.get(key(KEYS - 1))).isNotNull();
    }
  }

  @Test
  void oneExceptionNamesAllTablesLeftOut() {
    Seeds.forEachOfMany(
        4,
        random -> {
          MemDisk disk = oneRunOfDeletions();
          List<TableMeta> damaged = new ArrayList<>(tables(disk));
          Collections.shuffle(damaged, random);
          damaged = damaged.subList(0, 2 + random.nextInt(damaged.size() - 2));
          for (TableMeta table : damaged) {
            spoil(disk, FileKind.TABLE.fileName(table.number()));
          }
          try (Store store = TestStores.open(disk, options())) {
            ThrowableAssert.ThrowingCallable compact = store::compact;
            for (TableMeta table : damaged) {
              assertThatThrownBy(compact)
                  .isInstanceOf(CorruptionException.class)
                  .hasMessageContaining(FileKind.TABLE.fileName(table.number()) + " is damaged");
            }
            assertThatThrownBy(compact)
                .satisfies(e -> assertThat(e.getSuppressed()).doesNotContainNull())
                .extracting(e -> e.getSuppressed().length + 1)
                .isEqualTo(damaged.size());
          }
        });
  }

  @Test
  void aTableFoundDamagedWhenItIsFirstOpenedIsLeftOutToo() throws IOException {
    MemDisk disk = oneRunOfDeletions();
    List<TableMeta> before = tables(disk);
    TableMeta damaged = before.get(before.size() / 2);
    String name = FileKind.TABLE.fileName(damaged.number());
    byte[] bytes = disk.bytes(name);
    bytes[bytes.length - 30] ^= 1;
    disk.setBytes(name, bytes);
    StoreOptions cold =
        TestStores.warmBytes(StoreOptions.builder(), 0)
            .policy(POLICY)
            .memory(MemoryBudget.ofMebibytes(16))
            .build();
    try (Store store = TestStores.open(disk, cold)) {
      assertThatThrownBy(store::compact)
          .isInstanceOf(CorruptionException.class)
          .hasMessageStartingWith(name + " is damaged");
      assertThat(deletions(disk)).isEqualTo(damaged.tombstones());
    }
  }

  @Test
  void aDiskThatFailsAsAWholeIsNoDamageOfAColdTable() throws IOException {
    MemDisk disk = oneRunOfDeletions();
    String name = FileKind.TABLE.fileName(tables(disk).get(0).number());
    long before = deletions(disk);
    ErrorDisk failing = new ErrorDisk(disk);
    StoreOptions cold =
        TestStores.warmBytes(StoreOptions.builder(), 0)
            .policy(POLICY)
            .memory(MemoryBudget.ofMebibytes(16))
            .build();
    try (Store store = TestStores.open(failing, cold)) {
      failing.fail(ErrorDisk.Fault.EIO, file -> file.isEmpty() || file.equals(name), 1, true);
      assertThatThrownBy(store::compact).isInstanceOf(UncheckedIOException.class);
      assertThat(failing.fired()).isTrue();
      assertThat(deletions(disk)).as("nothing was rewritten").isEqualTo(before);
      failing.heal();
    }
  }

  @Test
  void aTableThatCannotBeReadWhenItIsFirstOpenedIsLeftOutToo() throws IOException {
    MemDisk disk = oneRunOfDeletions();
    List<TableMeta> before = tables(disk);
    TableMeta unread = before.get(before.size() / 2);
    String name = FileKind.TABLE.fileName(unread.number());
    ErrorDisk failing = new ErrorDisk(disk);
    StoreOptions cold =
        TestStores.warmBytes(StoreOptions.builder(), 0)
            .policy(POLICY)
            .memory(MemoryBudget.ofMebibytes(16))
            .build();
    try (Store store = TestStores.open(failing, cold)) {
      failing.fail(ErrorDisk.Operation.READ, name::equals, 1, true);
      assertThatThrownBy(store::compact)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessage(name + " could not be opened")
          .hasRootCauseMessage("READ " + name + ": injected failure");
      assertThat(failing.fired()).isTrue();
      assertThat(deletions(disk)).isEqualTo(unread.tombstones());
      failing.heal();
      store.compact();
      assertThat(deletions(disk)).isZero();
    }
  }

  @Test
  void aDamagedTableThatNothingLiesOverIsMovedButNotRead() throws IOException {
    MemDisk disk = oneRunOfDeletions();
    TableMeta damaged = tables(disk).get(0);
    String name = FileKind.TABLE.fileName(damaged.number());
    byte[] bytes = disk.bytes(name);
    bytes[bytes.length / 2] ^= 1;
    disk.setBytes(name, bytes);
    try (Store store = TestStores.open(disk, options())) {
      put(store, KEYS / 2, KEYS, 1);
      assertThatThrownBy(store::compact)
          .isInstanceOf(CorruptionException.class)
          .hasMessageStartingWith(name + " is damaged");
      assertThat(store.stats().families().get(0).levels().stream().mapToInt(l -> l.runs()).sum())
          .isEqualTo(1);
      assertThat(deletions(disk)).isEqualTo(damaged.tombstones());
    }
  }

  @Test
  void damageInOneFamilyKeepsNoOtherFromBeingMerged() throws IOException {
    MemDisk disk = new MemDisk();
    try (Store store = TestStores.open(disk, options())) {
      put(store, 0, KEYS, 1);
      Family users = store.createFamily("users");
      for (int i = 0; i < KEYS; i++) {
        users.put(key(i), key(i));
      }
      store.compact();
    }
    disk = disk.reopen();
    TableMeta damaged = tables(disk).get(0);
    spoil(disk, FileKind.TABLE.fileName(damaged.number()));
    try (Store store = TestStores.open(disk, options())) {
      delete(store, 0, KEYS, 2);
      for (int i = 0; i < KEYS; i += 2) {
        store.family("users").delete(key(i));
      }
      assertThatThrownBy(store::compact).isInstanceOf(CorruptionException.class);
      assertThat(
              ManifestReader.read(disk).state().family("users").version().tables().stream()
                  .mapToLong(TableMeta::tombstones)
                  .sum())
          .isZero();
    }
  }

  @Test
  void aTableThatIsDamagedInTwoPartsOfAMergeIsNamedOnceAllElseIsMerged() throws IOException {
    MemDisk disk = new MemDisk();
    String wide = "leveled,fanout=4,l0_trigger=4,table_size=1MiB";
    try (Store store = TestStores.open(disk, options(wide, 1))) {
      put(store, 0, KEYS, 1);
      store.compact();
    }
    disk = disk.reopen();
    TableMeta damaged = tables(disk).get(0);
    spoil(disk, FileKind.TABLE.fileName(damaged.number()));
    try (Store store = TestStores.open(disk, options(POLICY, 2))) {
      store.pauseCompaction();
      put(store, 0, KEYS, 2);
      store.flush();
      put(store, 1, KEYS, 2);
      store.flush();
      for (int i = 0; i < KEYS; i++) {
        store.put(("later" + key(i)).getBytes(StandardCharsets.US_ASCII), key(i));
      }
      store.flush();
      store.resumeCompaction();
      assertThatThrownBy(store::compact).isInstanceOf(CorruptionException.class);
      assertThat(tables(disk)).anyMatch(table -> table.number() == damaged.number());
    }
  }

  /** Damages the first block and the last. */
  private static void spoil(MemDisk disk, String name) throws IOException {
    byte[] bytes = disk.bytes(name);
    bytes[200] ^= 1;
    bytes[bytes.length * 3 / 4] ^= 1;
    disk.setBytes(name, bytes);
  }
}
