// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.ClosedException;
import io.coppice.base.DiskFullException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.ErrorDisk;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.load.DeterministicStore;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A full disk stops writes with figures and loses nothing; room made, all goes on. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreDiskFullTest {

  private static final String QUIET = "leveled,l0_trigger=64,table_size=4KiB";

  private final MemDisk disk = new MemDisk();
  private final Map<String, String> written = new TreeMap<>();
  private int number;

  private Store open(String policy) throws IOException {
    StoreOptions.Builder options =
        StoreOptions.builder()
            .policy(policy)
            .memory(MemoryBudget.ofMebibytes(16))
            .memtableBytes(128 << 10);
    return TestStores.open(disk.reopen(), options.build());
  }

  /** Writes so many values of a kilobyte; what was acknowledged is noted. */
  private void write(Store store, int count, Durability durability) {
    for (int i = 0; i < count; i++) {
      String key = "key" + number % 60;
      String value = number++ + "-" + "v".repeat(1000);
      store.write(new WriteBatch().put(bytes(key), bytes(value)), durability);
      written.put(key, value);
    }
  }

  private void writeUntilFull(Store store, Durability durability) {
    assertThatThrownBy(() -> write(store, 100_000, durability))
        .isInstanceOf(DiskFullException.class)
        .hasMessageContaining("needs")
        .hasMessageContaining("are free");
  }

  private void check(Store store) {
    Map<String, String> shown = new TreeMap<>();
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        shown.put(
            new String(cursor.key(), StandardCharsets.US_ASCII),
            new String(cursor.value(), StandardCharsets.US_ASCII));
      }
    }
    assertThat(shown).isEqualTo(written);
  }

  private void leaveFree(long bytes) {
    disk.capacity(Long.MAX_VALUE);
    disk.capacity(Long.MAX_VALUE - disk.freeBytes() + bytes);
  }

  /** Waits until the logs of flushed writes are gone, which happens behind the flushes. */
  private void awaitOldLogs() {
    while (disk.list().stream().filter(name -> FileKind.WAL.numberOf(name).isPresent()).count()
        > 1) {
      Thread.onSpinWait();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void writesFailUntilThereIsRoomForTheLog() throws IOException {
    try (Store store = open(QUIET)) {
      write(store, 10, Durability.BUFFERED);
      leaveFree(20_000);
      writeUntilFull(store, Durability.BUFFERED);
      check(store);
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> write(store, 1, Durability.SYNC))
            .isInstanceOf(DiskFullException.class);
      }
      leaveFree(300_000);
      write(store, 30, Durability.SYNC);
      check(store);
    }
    try (Store store = open(QUIET)) {
      check(store);
    }
  }

  @Test
  void whatWasRefusedIsNotFoundAfterALossOfPower() throws IOException {
    try (Store store = open(QUIET)) {
      leaveFree(20_000);
      writeUntilFull(store, Durability.SYNC);
      MemDisk crashed = disk.crash();
      leaveFree(300_000);
      try (Store other = TestStores.open(crashed, StoreOptions.defaults())) {
        check(other);
      }
      write(store, 3, Durability.SYNC);
      try (Store other = TestStores.open(disk.crash(), StoreOptions.defaults())) {
        check(other);
      }
    }
  }

  @Test
  void aFlushIsTriedAgainOnceThereIsRoom() throws IOException {
    try (Store store = open(QUIET)) {
      write(store, 50, Durability.BUFFERED);
      // Another process takes the room of the reserve.
      disk.delete("RESERVE");
      leaveFree(20_000);
      assertThatThrownBy(store::flush).isInstanceOf(DiskFullException.class);
      assertThatThrownBy(store::flush).isInstanceOf(DiskFullException.class);
      check(store);
      leaveFree(300_000);
      store.flush();
      assertThat(store.stats().levels().get(0).runs()).isEqualTo(1);
      check(store);
    }
  }

  @Test
  void aFlushThatFitsWithTheReserveSucceedsAtAnyFreeSpace() throws IOException {
    try (Store store = open(QUIET)) {
      for (int run = 0; run < 5; run++) {
        write(store, 60, Durability.BUFFERED);
        store.flush();
      }
      awaitOldLogs();
      write(store, 60, Durability.BUFFERED);
      for (long free = 20_000; free < 80_000; free += 5_000) {
        MemDisk killed = disk.kill();
        StoreOptions options =
            StoreOptions.builder()
                .policy(QUIET)
                .memory(MemoryBudget.ofMebibytes(16))
                .memtableBytes(128 << 10)
                .build();
        try (DeterministicStore opened = DeterministicStore.open(killed, options, free)) {
          // The opening leaves the log to the flush, which no step has begun.
          killed.capacity(Long.MAX_VALUE - killed.freeBytes() + free);
          opened.store().flush();
          check(opened.store());
        }
      }
    }
  }

  /** A log that notes what it is told, and throws. */
  private static Handler broken(List<String> messages) {
    return new Handler() {
      @Override
      public void publish(LogRecord record) {
        messages.add(record.getMessage());
        throw new IllegalStateException("the log is full");
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  @Test
  void aLoggerThatThrowsEndsNoWorker() throws IOException {
    Logger log = Logger.getLogger("io.coppice.Store");
    List<String> messages = new ArrayList<>();
    Handler broken = broken(messages);
    StoreOptions options =
        StoreOptions.builder()
            .policy(QUIET)
            .memory(MemoryBudget.ofMebibytes(16))
            .memtableBytes(128 << 10)
            .build();
    // Its workers run on this thread, which gets what they throw.
    try (DeterministicStore opened = DeterministicStore.open(disk, options, Seeds.seed(1))) {
      write(opened.store(), 50, Durability.BUFFERED);
      log.setLevel(Level.WARNING);
      log.setUseParentHandlers(false);
      log.addHandler(broken);
      disk.delete("RESERVE");
      leaveFree(20_000);
      assertThatThrownBy(opened.store()::flush).isInstanceOf(DiskFullException.class);
      assertThat(messages).contains("a memtable could not be flushed yet");
      leaveFree(300_000);
      opened.store().flush();
      check(opened.store());
    } finally {
      log.removeHandler(broken);
      log.setLevel(null);
      log.setUseParentHandlers(true);
    }
  }

  @Test
  void aLoggerThatThrowsKeepsNoDurableEditFromBeingSeen() throws IOException {
    Logger log = Logger.getLogger("io.coppice.Store");
    List<String> messages = new ArrayList<>();
    Handler broken = broken(messages);
    ErrorDisk failing = new ErrorDisk(disk);
    try (Store store = TestStores.open(failing, StoreOptions.defaults())) {
      Family users = store.createFamily("users");
      log.setLevel(Level.WARNING);
      log.setUseParentHandlers(false);
      log.addHandler(broken);
      failing.fail(ErrorDisk.Fault.ENOSPC, ErrorDisk.Operation.CREATE, "CURRENT.new"::equals, 1);
      users.policy("leveled");
      users.put(bytes("key"), bytes("of users"));
      assertThat(messages).containsExactly("CURRENT could not be written again");
      store.createFamily("orders").put(bytes("key"), bytes("of orders"));
    } finally {
      log.removeHandler(broken);
      log.setLevel(null);
      log.setUseParentHandlers(true);
    }
    try (Store store = TestStores.open(disk.reopen(), StoreOptions.defaults())) {
      assertThat(store.family("users").get(bytes("key"))).isEqualTo(bytes("of users"));
      assertThat(store.family("orders").get(bytes("key"))).isEqualTo(bytes("of orders"));
    }
  }

  @Test
  void writersThatFillTheDiskGoOnWhereTheyStopped() throws IOException {
    try (Store store = open("split-forest,fanout=2,table_size=4KiB,cleaning_threshold=2")) {
      for (int round = 0; round < 8; round++) {
        leaveFree(60_000 + 50_000L * round);
        writeUntilFull(store, round % 2 == 0 ? Durability.BUFFERED : Durability.SYNC);
        check(store);
      }
      leaveFree(2_000_000);
      write(store, 300, Durability.SYNC);
      store.compact();
      check(store);
    }
    try (Store store = open(QUIET)) {
      check(store);
    }
  }

  @Test
  void mergesMakeRoomOnAFullDisk() throws IOException {
    try (Store store = open(QUIET + ",cleaning_threshold=10")) {
      for (int run = 0; run < 5; run++) {
        write(store, 60, Durability.BUFFERED);
        store.flush();
      }
      assertThat(disk.list()).contains("RESERVE");
      long before = store.stats().tableBytes();
      awaitOldLogs();
      leaveFree(3_000);
      assertThatThrownBy(() -> write(store, 10, Durability.SYNC))
          .isInstanceOf(DiskFullException.class);
      // There is room for less than one table; the memtable has what was written by now.
      leaveFree(6_000);
      try {
        store.compact();
      } catch (DiskFullException e) {
        // The memtable found no room; the merges did not need its tables.
        assertThat(store.stats().mergeSteps()).isZero();
        leaveFree(10_000);
        store.compact();
      }
      assertThat(store.stats().tableBytes()).isLessThan(before / 4);
      check(store);
      write(store, 60, Durability.SYNC);
      check(store);
      assertThat(disk.list()).contains("RESERVE");
    }
  }

  @Test
  @Timeout(60)
  void closingOnAFullDiskLeavesTheRestToTheLog() throws IOException {
    Store store = open(QUIET);
    write(store, 50, Durability.BUFFERED);
    // Another process takes the room of the reserve.
    disk.delete("RESERVE");
    leaveFree(5_000);
    assertThatCode(store::close).doesNotThrowAnyException();
    // Who begins to wait as late as that waits for nobody.
    assertThatThrownBy(() -> TestStores.writes(store).awaitSealed())
        .isInstanceOf(ClosedException.class);
    assertThat(disk.openFiles()).isZero();
    leaveFree(500_000);
    try (Store again = open(QUIET)) {
      check(again);
    }
  }

  @Test
  void closingOnAFullDiskReportsWhatHasNoLog() throws IOException {
    Store store = open(QUIET);
    write(store, 50, Durability.NONE);
    leaveFree(5_000);
    assertThatThrownBy(store::close).isInstanceOf(DiskFullException.class);
    assertThat(disk.openFiles()).isZero();
  }

  @Test
  void aManifestThatFoundNoRoomIsNotPutInForceByClosing() throws IOException {
    ErrorDisk errors = new ErrorDisk(disk);
    StoreOptions options =
        TestStores.manifestBytes(StoreOptions.builder(), 1).policy(QUIET).build();
    try (Store store = TestStores.open(errors, options)) {
      List<String> there = disk.list();
      errors.fail(
          ErrorDisk.Fault.ENOSPC,
          name -> name.endsWith(".manifest") && !there.contains(name),
          1,
          true);
      for (int i = 0; i < 8; i++) {
        write(store, 3, Durability.BUFFERED);
        store.flush();
      }
      assertThat(errors.fired()).isTrue();
      errors.heal();
    }
    try (Store store = open(QUIET)) {
      check(store);
    }
  }

  @Test
  void aRenameOfCurrentThatFindsNoRoomLeavesTheStoreWritable() throws IOException {
    for (int failing = 1; failing <= 6; failing++) {
      MemDisk memory = new MemDisk();
      ErrorDisk errors = new ErrorDisk(memory);
      StoreOptions options =
          TestStores.manifestBytes(StoreOptions.builder(), 1).policy(QUIET).build();
      try (Store store = TestStores.open(errors, options)) {
        errors.fail(ErrorDisk.Fault.ENOSPC, ErrorDisk.Operation.RENAME, "CURRENT"::equals, failing);
        for (int i = 0; i < 8; i++) {
          Family family = familyOnceThereIsRoom(store, "family" + i);
          family.put(bytes("key"), bytes("value" + i));
          store.flush();
        }
        assertThat(errors.fired()).isTrue();
      }
      try (Store store = TestStores.open(memory.reopen(), options)) {
        for (int i = 0; i < 8; i++) {
          assertThat(store.family("family" + i).get(bytes("key"))).isEqualTo(bytes("value" + i));
        }
      }
    }
  }

  private static Family familyOnceThereIsRoom(Store store, String name) {
    try {
      return store.createFamily(name);
    } catch (DiskFullException e) {
      return store.createFamily(name);
    }
  }

  @Test
  void openingOnAFullDiskUsesTheReserve() throws IOException {
    try (Store store = open(QUIET)) {
      write(store, 60, Durability.BUFFERED);
      store.flush();
      write(store, 20, Durability.SYNC);
      store.compact();
      write(store, 20, Durability.SYNC);
      MemDisk killed = disk.kill();
      killed.capacity(Long.MAX_VALUE - killed.freeBytes());
      assertThat(killed.freeBytes()).isZero();
      try (Store again = TestStores.open(killed, StoreOptions.builder().policy(QUIET).build())) {
        check(again);
      }
    }
  }
}
