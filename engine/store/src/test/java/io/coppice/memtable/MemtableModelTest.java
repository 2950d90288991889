// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Limits;
import io.coppice.base.MemoryBudget;
import io.coppice.base.bytes.Bytes;
import io.coppice.base.bytes.Coding;
import io.coppice.entry.CursorModel;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.entry.ListCursor;
import io.coppice.entry.ListCursor.Entry;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class MemtableModelTest {

  @Test
  void agreesWithASortedSet() {
    Seeds.forEach(
        60,
        random -> {
          MemoryBudget budget = MemoryBudget.ofMebibytes(64);
          try (ChunkPool pool = new ChunkPool(budget, 2)) {
            Memtable table = Memtable.tryCreate(pool);
            TreeSet<Entry> model = new TreeSet<>(ListCursor::order);
            int count = random.nextInt(300);
            for (int sequence = 0; sequence < count; sequence++) {
              Entry entry = CursorModel.randomEntry(random, sequence);
              add(table, entry);
              model.add(entry);
              find(table, model, random, sequence);
            }
            assertThat(table.entries()).isEqualTo(count);
            try (EntryCursor cursor = table.cursor()) {
              CursorModel.check(cursor, new ArrayList<>(model), random, 400);
            }
            table.release();
          }
          assertThat(budget.usedBytes()).isZero();
        });
  }

  @Test
  void loadedEntriesLieWhereAddedOnesDo() {
    Seeds.forEach(
        60,
        random -> {
          MemoryBudget budget = MemoryBudget.ofMebibytes(64);
          try (ChunkPool pool = new ChunkPool(budget, 2)) {
            Memtable table = Memtable.tryCreate(pool);
            TreeSet<Entry> model = new TreeSet<>(ListCursor::order);
            MemtableLoader loader = table.loader();
            int count = random.nextInt(3000);
            byte[] prefix = new byte[random.nextInt(12)];
            for (int sequence = 0; sequence < count; sequence++) {
              Entry drawn = CursorModel.randomEntry(random, sequence);
              byte[] key = com.google.common.primitives.Bytes.concat(prefix, drawn.keyBytes());
              Entry entry = Entry.of(key, sequence, drawn.kind(), drawn.valueBytes());
              byte[] value = entry.valueBytes();
              model.add(entry);
              if (sequence % 97 == 0) {
                loader.finish();
                add(table, entry);
              } else {
                loader.add(sequence, entry.kind(), key, 0, key.length, value, 0, value.length);
              }
            }
            loader.finish();
            assertThat(table.entries()).isEqualTo(count);
            assertThat(entries(table)).containsExactlyElementsOf(model);
            for (Entry entry : model) {
              byte[] key = entry.keyBytes();
              int place = table.find(key, 0, key.length, entry.sequence());
              assertThat(table.sequence(place)).isEqualTo(entry.sequence());
            }
            table.release();
          }
          assertThat(budget.usedBytes()).isZero();
        });
  }

  private static void find(Memtable table, TreeSet<Entry> model, Random random, int newest) {
    byte[] key = CursorModel.randomKey(random);
    long sequence = random.nextInt(newest + 2);
    int place = table.find(key, 0, key.length, sequence);
    Entry expected =
        model.stream()
            .filter(e -> Bytes.compare(e.keyBytes(), key) == 0 && e.sequence() <= sequence)
            .findFirst()
            .orElse(null);
    if (expected == null) {
      assertThat(place).isZero();
      return;
    }
    byte[] value = new byte[table.valueLength(place)];
    table.copyValue(place, value, 0);
    assertThat(Entry.of(key, table.sequence(place), table.kind(place), value)).isEqualTo(expected);
  }

  @Test
  void keysThatComeInRunsForthOrBackAreFound() {
    Seeds.forEach(
        4,
        random -> {
          ChunkPool pool = new ChunkPool(MemoryBudget.ofMebibytes(8), 0);
          Memtable table = Memtable.tryCreate(pool);
          TreeMap<Integer, Integer> model = new TreeMap<>();
          byte[] key = new byte[Integer.BYTES];
          int sequence = 0;
          while (sequence < 6_000) {
            int from = random.nextInt(1 << 16);
            boolean back = random.nextBoolean();
            for (int i = random.nextInt(60); i >= 0; i--) {
              Coding.putFixed32(key, 0, Integer.reverseBytes(from));
              table.add(sequence, EntryKind.PUT, key, 0, key.length, Bytes.EMPTY, 0, 0);
              model.put(from, sequence++);
              from += back ? -random.nextInt(3) : random.nextInt(3);
            }
          }
          for (Map.Entry<Integer, Integer> entry : model.entrySet()) {
            Coding.putFixed32(key, 0, Integer.reverseBytes(entry.getKey()));
            int place = table.find(key, 0, key.length, Limits.MAX_SEQUENCE);
            assertThat(table.sequence(place)).isEqualTo((long) entry.getValue());
          }
          List<Entry> found = entries(table);
          assertThat(found).hasSize(sequence).isSortedAccordingTo(ListCursor::order);
          table.release();
        });
  }

  static void add(Memtable table, Entry entry) {
    byte[] key = entry.keyBytes();
    byte[] value = entry.valueBytes();
    boolean added =
        table.add(entry.sequence(), entry.kind(), key, 0, key.length, value, 0, value.length);
    assertThat(added).isTrue();
  }

  static List<Entry> entries(Memtable table) {
    List<Entry> found = new ArrayList<>();
    try (EntryCursor cursor = table.cursor()) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        found.add(Entry.at(cursor));
      }
    }
    return found;
  }
}
