// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.examples;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import java.nio.file.Path;

/** A store in twelve lines. */
public final class EmbeddedStore {

  private EmbeddedStore() {}

  /** Takes the directory. */
  public static void main(String[] args) {
    try (Store store = Store.open(Path.of(args[0]))) {
      store.put("oak".getBytes(), "slow".getBytes());
      store.put("willow".getBytes(), "fast".getBytes());
      store.delete("oak".getBytes());
      System.out.println(new String(store.get("willow".getBytes())));
      try (Cursor cursor = store.cursor(KeyRange.all())) {
        for (cursor.first(); cursor.valid(); cursor.next()) {
          System.out.println(new String(cursor.key()));
        }
      }
    }
  }
}
