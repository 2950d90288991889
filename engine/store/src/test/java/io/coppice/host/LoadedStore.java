// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.StoreException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * A store in one copy of the engine. It is driven and answers by text, as the classes of two copies
 * do not know each other: {@code open DIRECTORY}, {@code fill}, {@code count}, {@code close}.
 */
final class LoadedStore implements Function<String, String> {

  private static final int KEYS = 3000;

  private Store store;

  /** Not yet open. */
  LoadedStore() {}

  @Override
  public String apply(String command) {
    String[] words = command.split(" ", 2);
    return switch (words[0]) {
      case "open" -> open(Path.of(words[1]));
      case "fill" -> fill();
      case "count" -> count();
      default -> close();
    };
  }

  private String open(Path directory) {
    StoreOptions options =
        StoreOptions.builder()
            .name(directory.getFileName().toString())
            .memtableBytes(256 << 10)
            .jmx(true)
            .build();
    try {
      store = Store.open(directory, options);
      return "open";
    } catch (StoreException e) {
      return e.getClass().getSimpleName();
    }
  }

  private String fill() {
    for (int i = 0; i < KEYS; i++) {
      byte[] key = ("key" + i * 7919L % KEYS).getBytes(StandardCharsets.UTF_8);
      store.write(new WriteBatch().put(key, new byte[200]), Durability.BUFFERED);
    }
    store.flush();
    store.compact();
    return count();
  }

  private String count() {
    int keys = 0;
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        keys++;
      }
    }
    return keys + " keys";
  }

  private String close() {
    store.close();
    return "closed";
  }
}
