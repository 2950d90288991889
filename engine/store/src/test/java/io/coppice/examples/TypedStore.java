// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.examples;

import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Store;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.function.BiConsumer;

/** Keys and values with types: a codec each, and a view of a family that uses them. */
public final class TypedStore {

  /** Bytes that sort as what they stand for, and back. */
  interface Codec<T> {
    byte[] bytes(T value);

    T value(byte[] bytes);
  }

  /** Days since 1970; the sign bit is turned over, so that unsigned bytes sort like numbers. */
  static final Codec<LocalDate> DATE =
      new Codec<>() {
        @Override
        public byte[] bytes(LocalDate date) {
          return ByteBuffer.allocate(8).putLong(date.toEpochDay() ^ Long.MIN_VALUE).array();
        }

        @Override
        public LocalDate value(byte[] bytes) {
          return LocalDate.ofEpochDay(ByteBuffer.wrap(bytes).getLong() ^ Long.MIN_VALUE);
        }
      };

  static final Codec<String> TEXT =
      new Codec<>() {
        @Override
        public byte[] bytes(String text) {
          return text.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String value(byte[] bytes) {
          return new String(bytes, StandardCharsets.UTF_8);
        }
      };

  /** A family seen through two codecs. Safe to share between threads, as the family is. */
  record Typed<K, V>(Family family, Codec<K> keys, Codec<V> values) {

    void put(K key, V value) {
      family.put(keys.bytes(key), values.bytes(value));
    }

    V get(K key) {
      byte[] found = family.get(keys.bytes(key));
      return found == null ? null : values.value(found);
    }

    /** From one key, inclusive, to another, exclusive, in order, as of now. */
    void forEach(K from, K to, BiConsumer<K, V> action) {
      KeyRange range = KeyRange.from(keys.bytes(from)).to(keys.bytes(to));
      try (Cursor cursor = family.cursor(range)) {
        for (cursor.first(); cursor.valid(); cursor.next()) {
          action.accept(keys.value(cursor.key()), values.value(cursor.value()));
        }
      }
    }
  }

  private TypedStore() {}

  /** Takes the directory. */
  public static void main(String[] args) {
    try (Store store = Store.open(Path.of(args[0]))) {
      Typed<LocalDate, String> diary = new Typed<>(store.createFamily("diary"), DATE, TEXT);
      diary.put(LocalDate.of(2026, 3, 1), "cut to the stump");
      diary.put(LocalDate.of(2026, 5, 20), "first shoots");
      diary.put(LocalDate.of(1969, 7, 20), "planted");
      System.out.println(diary.get(LocalDate.of(2026, 5, 20)));
      diary.forEach(
          LocalDate.EPOCH.minusYears(1),
          LocalDate.of(2026, 4, 1),
          (day, what) -> System.out.println(day + " " + what));
    }
  }
}
