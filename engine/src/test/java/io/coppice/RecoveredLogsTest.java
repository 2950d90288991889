// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Durability;
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

  @Test
  void whatAFailedSyncLeftInMemoryOnlyReachesTheDiskWhenTheStoreIsOpenedAgain() throws IOException {
    new FailedSyncTrial(disk -> disk).run();
  }
}
