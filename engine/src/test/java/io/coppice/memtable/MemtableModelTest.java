// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Bytes;
import io.coppice.base.MemoryBudget;
import io.coppice.base.Seeds;
import io.coppice.entry.CursorModel;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.ListCursor;
import io.coppice.entry.ListCursor.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
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
