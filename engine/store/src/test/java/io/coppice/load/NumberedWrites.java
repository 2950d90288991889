// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.load;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Writes that follow from their number alone: which key, put or delete, which value. So what a
 * store shows after any prefix of them can be told without keeping it.
 */
public final class NumberedWrites {

  private final int keys;

  public NumberedWrites(int keys) {
    this.keys = keys;
  }

  public void write(Store store, long number, Durability durability) {
    WriteBatch batch = new WriteBatch();
    if (deletes(number)) {
      batch.delete(key(keyOf(number)));
    } else {
      batch.put(key(keyOf(number)), value(number));
    }
    store.write(batch, durability);
  }

  int keyOf(long number) {
    return (int) ((number * 0x9E3779B97F4A7C15L >>> 33) % keys);
  }

  static boolean deletes(long number) {
    return number % 5 == 3;
  }

  public static byte[] key(int number) {
    return ("key" + number).getBytes(StandardCharsets.US_ASCII);
  }

  static byte[] value(long number) {
    String text = String.format("%012d", number) + "x".repeat((int) (number * 31 % 300));
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  static long numberOf(byte[] value) {
    return Long.parseLong(new String(value, 0, 12, StandardCharsets.US_ASCII));
  }

  /** What is there after the first so many writes. */
  public NavigableMap<byte[], byte[]> after(long writes) {
    NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    for (long number = 0; number < writes; number++) {
      apply(model, number);
    }
    return model;
  }

  public void apply(NavigableMap<byte[], byte[]> model, long number) {
    if (deletes(number)) {
      model.remove(key(keyOf(number)));
    } else {
      model.put(key(keyOf(number)), value(number));
    }
  }

  /** What a store shows. */
  public static NavigableMap<byte[], byte[]> contents(Store store) {
    NavigableMap<byte[], byte[]> shown = new TreeMap<>(Arrays::compareUnsigned);
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        shown.put(cursor.key(), cursor.value());
      }
    }
    return shown;
  }

  public static boolean same(NavigableMap<byte[], byte[]> a, NavigableMap<byte[], byte[]> b) {
    if (a.size() != b.size()) {
      return false;
    }
    var other = b.entrySet().iterator();
    for (var entry : a.entrySet()) {
      var next = other.next();
      if (!Arrays.equals(entry.getKey(), next.getKey())
          || !Arrays.equals(entry.getValue(), next.getValue())) {
        return false;
      }
    }
    return true;
  }
}
