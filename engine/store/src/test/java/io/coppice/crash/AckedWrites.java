// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The writes of one of several writers of a store, on keys of its own. Each is a batch of puts,
 * overwrites and deletions that follows from its number, so only the number needs to be kept.
 *
 * @param writer which writer
 */
record AckedWrites(int writer) {

  /** Few, so that most writes hide an older one. */
  private static final int KEYS = 300;

  private static final int LONGEST_VALUE = 400;

  String prefix() {
    return "w" + writer + "-";
  }

  /** How durable the write is when it is acknowledged. */
  Durability durability(long number) {
    return mixed(number, 0) % 3 == 0 ? Durability.SYNC : Durability.BUFFERED;
  }

  void write(Store store, long number) {
    WriteBatch batch = new WriteBatch();
    entries(number)
        .forEach(
            (key, value) -> {
              if (value == null) {
                batch.delete(bytes(key));
              } else {
                batch.put(bytes(key), bytes(value));
              }
            });
    store.write(batch, durability(number));
  }

  /** Puts, and deletions as null. */
  private Map<String, String> entries(long number) {
    Map<String, String> entries = new TreeMap<>();
    int count = 1 + (int) (mixed(number, 1) % 4);
    for (int i = 0; i < count; i++) {
      long drawn = mixed(number, 2 + i);
      String key = prefix() + drawn % KEYS;
      boolean deletes = (drawn >>> 20) % 4 == 0;
      int length = (int) ((drawn >>> 30) % LONGEST_VALUE);
      entries.put(key, deletes ? null : number + ":" + "v".repeat(length));
    }
    return entries;
  }

  private long mixed(long number, int salt) {
    long z = (number * 64 + salt) * 0x9E3779B97F4A7C15L + writer;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return (z ^ z >>> 31) >>> 1;
  }

  void apply(NavigableMap<String, String> model, long number) {
    entries(number)
        .forEach(
            (key, value) -> {
              if (value == null) {
                model.remove(key);
              } else {
                model.put(key, value);
              }
            });
  }

  /** What is there after the writes below this number. */
  NavigableMap<String, String> before(long number) {
    NavigableMap<String, String> model = new TreeMap<>();
    for (long each = 0; each < number; each++) {
      apply(model, each);
    }
    return model;
  }

  /** What a store shows of the keys of this writer. */
  NavigableMap<String, String> shown(Store store) {
    NavigableMap<String, String> shown = new TreeMap<>();
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      for (cursor.seek(bytes(prefix())); cursor.valid(); cursor.next()) {
        String key = text(cursor.key());
        if (!key.startsWith(prefix())) {
          break;
        }
        shown.put(key, text(cursor.value()));
      }
    }
    return shown;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.US_ASCII);
  }
}
