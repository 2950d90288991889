// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.frozen;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.model.KindsModel;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What a store must show, by family, and as text: one line an entry, family, key and value parted
 * by tabs, in the order of the keys.
 */
final class FrozenContents {

  private static final char TAB = '\t';
  private static final int MIN_RUN = 8;

  private final Map<String, NavigableMap<byte[], byte[]>> families = new TreeMap<>();

  /** Reads what {@link #lines} writes. */
  static FrozenContents parse(List<String> lines) {
    FrozenContents contents = new FrozenContents();
    for (String line : lines) {
      String[] fields = line.split("\t", -1);
      String family = new String(unescaped(fields[0]), StandardCharsets.UTF_8);
      contents.of(family).put(unescaped(fields[1]), unescaped(fields[2]));
    }
    return contents;
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    families.forEach(
        (family, entries) ->
            entries.forEach(
                (key, value) ->
                    lines.add(
                        escaped(family.getBytes(StandardCharsets.UTF_8))
                            + TAB
                            + escaped(key)
                            + TAB
                            + escaped(value))));
    return lines;
  }

  private NavigableMap<byte[], byte[]> of(String family) {
    return families.computeIfAbsent(family, name -> new TreeMap<>(Arrays::compareUnsigned));
  }

  /** The keys of a family, ascending. */
  List<byte[]> keys(String family) {
    return List.copyOf(of(family).keySet());
  }

  void put(Family family, byte[] key, byte[] value, Durability durability) {
    write(family, new WriteBatch().put(family, key, value), durability);
    of(family.name()).put(key, value);
  }

  void put(Family family, byte[] key, byte[] value) {
    put(family, key, value, Durability.BUFFERED);
  }

  /** Writes a value that is past its end, or whose end no test will see. */
  void putUntil(Family family, byte[] key, byte[] value, Instant end) {
    write(family, new WriteBatch().putUntil(family, key, value, end), Durability.BUFFERED);
    if (end.isBefore(Instant.EPOCH.plusSeconds(1))) {
      of(family.name()).remove(key);
    } else {
      of(family.name()).put(key, value);
    }
  }

  void delete(Family family, byte[] key) {
    write(family, new WriteBatch().delete(family, key), Durability.BUFFERED);
    of(family.name()).remove(key);
  }

  void deleteRange(Family family, byte[] from, byte[] to) {
    write(family, new WriteBatch().deleteRange(family, from, to), Durability.BUFFERED);
    of(family.name()).subMap(from, true, to, false).clear();
  }

  /** Writes an operand of {@link KindsModel#APPEND}. */
  void merge(Family family, byte[] key, byte[] operand) {
    write(family, new WriteBatch().merge(family, key, operand), Durability.BUFFERED);
    byte[] base = of(family.name()).get(key);
    of(family.name()).put(key, KindsModel.APPEND.merge(key, base, List.of(operand)));
  }

  void drop(String family) {
    families.remove(family);
  }

  private static void write(Family family, WriteBatch batch, Durability durability) {
    TestStores.storeOf(family).write(batch, durability);
  }

  /** Compares all of a store, forward and by single reads. */
  void check(Store store) {
    for (Family family : store.families()) {
      NavigableMap<byte[], byte[]> expected = of(family.name());
      NavigableMap<byte[], byte[]> found = new TreeMap<>(Arrays::compareUnsigned);
      try (Cursor cursor = family.cursor(KeyRange.all())) {
        for (cursor.first(); cursor.valid(); cursor.next()) {
          found.put(cursor.key(), cursor.value());
        }
      }
      assertThat(lines(found)).as("family %s", family.name()).isEqualTo(lines(expected));
      expected.forEach((key, value) -> assertThat(family.get(key)).isEqualTo(value));
    }
    assertThat(store.families().stream().map(Family::name)).containsAll(families.keySet());
  }

  private static List<String> lines(NavigableMap<byte[], byte[]> entries) {
    return entries.entrySet().stream()
        .map(entry -> escaped(entry.getKey()) + TAB + escaped(entry.getValue()))
        .toList();
  }

  /** Printable characters but for percent stand for themselves; {@code %(9)61} is nine of a. */
  private static String escaped(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < bytes.length; i++) {
      byte b = bytes[i];
      int run = 1;
      while (i + run < bytes.length && bytes[i + run] == b) {
        run++;
      }
      if (run >= MIN_RUN) {
        text.append(String.format("%%(%d)%02x", run, b));
        i += run - 1;
      } else if (b > ' ' && b < 0x7F && b != '%') {
        text.append((char) b);
      } else {
        text.append(String.format("%%%02x", b));
      }
    }
    return text.toString();
  }

  private static byte[] unescaped(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) != '%') {
        bytes.write(text.charAt(i));
        continue;
      }
      int run = 1;
      if (text.charAt(i + 1) == '(') {
        int end = text.indexOf(')', i);
        run = Integer.parseInt(text.substring(i + 2, end));
        i = end;
      }
      int b = Integer.parseInt(text.substring(i + 1, i + 3), 16);
      i += 2;
      for (int j = 0; j < run; j++) {
        bytes.write(b);
      }
    }
    return bytes.toByteArray();
  }
}
