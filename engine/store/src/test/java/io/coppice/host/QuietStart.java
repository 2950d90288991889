// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;

/** A process that does with a store what most programs do, by the options that it is given. */
final class QuietStart {

  private static final int KEYS = 5_000;
  private static final Logger STORES = Logger.getLogger("io.coppice");

  private QuietStart() {}

  /** Arguments: a directory, the compression, the reader of blocks, whether there are beans. */
  public static void main(String[] arguments) {
    // Else the store tells, as information, that it was opened.
    STORES.setLevel(Level.WARNING);
    Path directory = Path.of(arguments[0]);
    StoreOptions options =
        StoreOptions.builder()
            .memtableBytes(256 << 10)
            .compression(arguments[1])
            .reader(arguments[2])
            .jmx(Boolean.parseBoolean(arguments[3]))
            .build();
    try (Store store = Store.open(directory, options)) {
      for (int i = 0; i < KEYS; i++) {
        WriteBatch batch = new WriteBatch();
        for (int of = 0; of < 4; of++) {
          batch.put(bytes("key" + i * 7919L % KEYS), bytes("value" + i + "-" + of));
        }
        store.write(batch, Durability.BUFFERED);
      }
      store.put(bytes("last"), bytes("synced"));
      store.flush();
      store.compact();
    }
    try (Store store = Store.open(directory, options);
        Snapshot snapshot = store.snapshot();
        Cursor cursor = store.cursor(KeyRange.all())) {
      int keys = 0;
      for (cursor.first(); cursor.valid(); cursor.next()) {
        keys++;
      }
      System.out.println(keys + " keys");
      System.out.println("last " + new String(snapshot.get(bytes("last")), StandardCharsets.UTF_8));
    }
    try (Store store = Store.openReadOnly(directory)) {
      System.out.println("again " + new String(store.get(bytes("last")), StandardCharsets.UTF_8));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
