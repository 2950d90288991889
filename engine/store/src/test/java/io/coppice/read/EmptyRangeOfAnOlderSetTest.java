// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A memtable that is added while a view opens: later cursors see its values. */
class EmptyRangeOfAnOlderSetTest {

  private static byte[] key(int number, String suffix) {
    return String.format("k%03d%s", number, suffix).getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void aValueOfAMemtableThatBeganWhileACursorWasOpenedIsShown() throws Exception {
    StoreOptions options =
        StoreOptions.builder()
            .memory(MemoryBudget.ofMebibytes(64))
            .durability(Durability.BUFFERED)
            .build();
    try (Store store = TestStores.open(new MemDisk(), options)) {
      store.pauseCompaction();
      for (int i = 0; i < 40; i++) {
        store.put(key(i, ""), new byte[1]);
      }
      for (int i = 0; i < 40; i++) {
        store.delete(key(i, ""));
      }
      byte[] fresh = key(20, "x");
      AtomicBoolean once = new AtomicBoolean();
      // The real reader's order; only the moment of the switch is fixed: between acquire and
      // visible.
      FamilyReader between =
          TestStores.reader(
              store.family("default"),
              () -> {
                if (once.compareAndSet(false, true)) {
                  store.flush();
                  store.put(fresh, new byte[1]);
                }
                return TestStores.writes(store).visible();
              });
      FamilyReader.View view = between.view(FamilyReader.NEWEST, null, null);
      try (VisibleCursor cursor = view.cursor()) {
        cursor.first(); // passes 40 hidden keys, keeps [k007, end) at the number of the new value
      } finally {
        view.release().run();
      }
      assertThat(store.get(fresh)).isNotNull();
      try (Cursor cursor = store.cursor(KeyRange.all())) {
        cursor.first();
        assertThat(cursor.valid()).as("the value is in the store, so a cursor shows it").isTrue();
        assertThat(cursor.key()).isEqualTo(fresh);
      }
    }
  }
}
