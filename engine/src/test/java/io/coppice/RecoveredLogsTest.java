// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.Durability;
import io.coppice.base.ReadOnlyException;
import io.coppice.io.ErrorDisk;
import io.coppice.io.ErrorDisk.Fault;
import io.coppice.io.ErrorDisk.Operation;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class RecoveredLogsTest {

  private static final byte[] KEY = {1};

  @Test
  void aNewestLogOfWhichNothingReachedTheDiskDoesNotBecomeAnOlderOne() throws IOException {
    MemDisk disk = new MemDisk();
    Store store = Store.open(disk, StoreOptions.defaults());
    store.write(new WriteBatch().put(KEY, KEY), Durability.SYNC);
    MemDisk found = disk.crash();
    store.close();
    long log =
        found.list().stream()
            .mapToLong(name -> FileKind.WAL.numberOf(name).orElse(0))
            .max()
            .orElseThrow();
    found.setBytes(FileKind.WAL.fileName(log + 1), new byte[0]);

    for (int crashes = 0; crashes < 3; crashes++) {
      try (Store recovered = Store.open(found, StoreOptions.defaults())) {
        assertThat(recovered.get(KEY)).isEqualTo(KEY);
        found = found.crash();
      }
    }
  }

  /** Entries whose log is not flushed before the next loss of power. */
  private static final int FEW = 20;

  @Test
  void whatAFailedSyncLeftInMemoryOnlyReachesTheDiskWhenTheStoreIsOpenedAgain() throws IOException {
    MemDisk memory = new MemDisk();
    ErrorDisk disk = new ErrorDisk(memory);
    Store store = Store.open(disk, StoreOptions.defaults());
    for (int key = 0; key < FEW; key++) {
      Durability durability = key == FEW / 2 ? Durability.SYNC : Durability.BUFFERED;
      store.write(new WriteBatch().put(new byte[] {(byte) key}, new byte[2000]), durability);
    }
    disk.fail(Fault.EIO, Operation.SYNC, name -> name.endsWith(".wal"), 1);
    assertThatThrownBy(store::sync).isInstanceOf(ReadOnlyException.class);
    store.close();
    assertThat(shown(memory.crash())).as("what is durable").isEqualTo(FEW / 2 + 1);

    assertIsDurableOnceOpened(memory, FEW);
  }

  @Test
  void aNewLogWhoseFirstSyncFailedReachesTheDiskWhenTheStoreIsOpenedAgain() throws IOException {
    MemDisk memory = new MemDisk();
    ErrorDisk disk = new ErrorDisk(memory);
    Store store = Store.open(disk, StoreOptions.defaults());
    store.write(new WriteBatch().put(KEY, KEY), Durability.SYNC);
    int ofTheNewLog = 2;
    disk.fail(Fault.LATE_ENOSPC, Operation.SYNC, name -> name.endsWith(".wal"), ofTheNewLog);
    assertThatThrownBy(store::flush).isInstanceOf(ReadOnlyException.class);
    store.close();

    assertIsDurableOnceOpened(memory, 1);
  }

  private static void assertIsDurableOnceOpened(MemDisk memory, int entries) throws IOException {
    StoreParts parts = StoreParts.openPaused(memory.reopen(), StoreOptions.defaults());
    MemDisk crashed = memory.crash();
    parts.close();
    assertThat(shown(crashed)).isEqualTo(entries);
  }

  private static int shown(MemDisk disk) throws IOException {
    int entries = 0;
    try (Store store = Store.open(disk, StoreOptions.defaults());
        Cursor cursor = store.cursor(KeyRange.all())) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        entries++;
      }
    }
    return entries;
  }
}
