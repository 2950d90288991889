// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.MemoryBudget;
import io.coppice.base.bytes.Bytes;
import io.coppice.entry.EntryCursor;
import io.coppice.io.MemDisk;
import io.coppice.table.Entries.Entry;
import io.coppice.table.block.BlockCodec;
import io.coppice.table.block.LevelCompression;
import io.coppice.table.filter.FilterOptions;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A table against a plain list of the same entries. {@code -Dseed=…} repeats a failure. */
class TableModelTest {

  private static final long SEED = Long.getLong("seed", 20261120L);

  private static final List<TableOptions> FORMS =
      List.of(
          TableOptions.DEFAULT,
          TableOptions.DEFAULT.with(true),
          new TableOptions(8192, 16).with(true),
          new TableOptions(32, 1),
          new TableOptions(256, 2),
          new TableOptions(1024, 128),
          new TableOptions(512, 5),
          new TableOptions(4096, 16).with(new LevelCompression(List.of(BlockCodec.LZ4))),
          new TableOptions(1024, 4).with(new LevelCompression(List.of(nativeOrLz4()))));

  private static final List<Entries.Mix> MIXES =
      List.of(
          new Entries.Mix(1, 1, 1, 3, 10),
          new Entries.Mix(300, 60, 4, 3, 30),
          new Entries.Mix(400, 4, 200, 2, 20),
          new Entries.Mix(600, 1000, 3, 24, 100),
          new Entries.Mix(60, 40, 3, 300, 20_000));

  private static BlockCodec nativeOrLz4() {
    return NativeCodec.present() ? BlockCodec.ZSTD : BlockCodec.LZ4;
  }

  private interface Check {
    void run(Table table, Entries entries, Random random, String context);
  }

  private static void forAll(Check check) throws IOException {
    int round = 0;
    for (TableOptions form : FORMS) {
      for (Entries.Mix mix : MIXES) {
        Random random = new Random(SEED + round++);
        String context = "seed " + SEED + ", " + form + ", " + mix;
        Entries entries = Entries.random(random, mix);
        if (form.compression() != LevelCompression.NONE) {
          entries = entries.compressible();
        }
        MemoryBudget budget = MemoryBudget.ofMebibytes(8);
        MemDisk disk = new MemDisk();
        try (OpenTables tables =
            OpenTables.open(disk, budget, form, FilterOptions.OFF, List.of())) {
          TableMeta meta = FinishedTable.of(tables, entries.addTo(tables.create(7)));
          check.run(tables.get(meta.number()), entries, random, context);
        }
        assertThat(budget.usedBytes()).as(context).isZero();
        assertThat(disk.openFiles()).as(context).isZero();
      }
    }
  }

  @Test
  void factsAreThoseOfTheEntries() throws IOException {
    forAll(
        (table, entries, random, context) -> {
          TableMeta meta = table.meta();
          List<Entry> list = entries.list;
          assertThat(meta.entries()).as(context).isEqualTo(list.size());
          assertThat(meta.tombstones())
              .as(context)
              .isEqualTo(
                  list.stream().filter(e -> e.kind() == io.coppice.entry.EntryKind.DELETE).count());
          assertThat(meta.smallestKey()).as(context).isEqualTo(list.get(0).key());
          assertThat(meta.largestKey()).as(context).isEqualTo(list.get(list.size() - 1).key());
          assertThat(meta.maxSequence())
              .as(context)
              .isEqualTo(list.stream().mapToLong(Entry::sequence).max().orElseThrow());
          assertThat(meta.minSequence())
              .as(context)
              .isEqualTo(list.stream().mapToLong(Entry::sequence).min().orElseThrow());
        });
  }

  @Test
  void aPointLookupFindsTheNewestVisibleVersion() throws IOException {
    forAll(
        (table, entries, random, context) -> {
          TableLookup lookup = new TableLookup();
          for (int i = 0; i < 500; i++) {
            byte[] key = someKey(entries, random);
            long sequence = someSequence(entries, random);
            Entry expected = entries.get(key, sequence);
            boolean found = table.get(lookup, LookupKeys.of(key, sequence));
            assertThat(found).as(context).isEqualTo(expected != null);
            if (found) {
              assertThat(lookup.sequence()).as(context).isEqualTo(expected.sequence());
              assertThat(lookup.kind()).as(context).isEqualTo(expected.kind());
              assertThat(lookup.value()).as(context).isEqualTo(expected.value());
            }
          }
        });
  }

  @Test
  void aCursorWalksAllEntriesBothWays() throws IOException {
    forAll(
        (table, entries, random, context) -> {
          try (EntryCursor cursor = table.cursor()) {
            assertThat(cursor.valid()).isFalse();
            int index = 0;
            for (cursor.first(); cursor.valid(); cursor.next()) {
              assertSame(cursor, entries, index++, context);
            }
            assertThat(index).as(context).isEqualTo(entries.list.size());
            for (cursor.last(); cursor.valid(); cursor.prev()) {
              assertSame(cursor, entries, --index, context);
            }
            assertThat(index).as(context).isZero();
          }
        });
  }

  @Test
  void aCursorMovedAtRandomAgreesWithTheList() throws IOException {
    forAll(
        (table, entries, random, context) -> {
          try (EntryCursor cursor = table.cursor()) {
            moveAtRandom(cursor, entries, random, context);
          }
        });
  }

  @Test
  void aWindowShowsItsKeysOnly() throws IOException {
    forAll(
        (table, entries, random, context) -> {
          for (int i = 0; i < 10; i++) {
            byte[] low = random.nextInt(4) == 0 ? null : someKey(entries, random);
            byte[] high = random.nextInt(4) == 0 ? null : someKey(entries, random);
            if (low != null && high != null && Bytes.compare(low, high) >= 0) {
              continue;
            }
            KeyWindow window = new KeyWindow(low, high);
            Entries shown = entries.within(window);
            try (EntryCursor cursor = table.cursor(window)) {
              moveAtRandom(cursor, shown, random, context + ", " + window);
            }
          }
        });
  }

  @Test
  void theIndexTellsBytesAndKeysInsideAWindow() throws IOException {
    forAll(
        (table, entries, random, context) -> {
          byte[] largest = table.meta().largestKey();
          List<byte[]> keys =
              TableEstimates.separators(table, KeyWindow.ALL, 1 + random.nextInt(2000));
          long before = 0;
          for (byte[] key : keys) {
            long bytes = TableEstimates.bytesUpTo(table, key);
            assertThat(bytes).as(context).isGreaterThan(before).isLessThan(table.meta().bytes());
            assertThat(Bytes.compare(key, largest)).as(context).isNegative();
            before = bytes;
          }
          byte[] low = someKey(entries, random);
          byte[] high = someKey(entries, random);
          if (Bytes.compare(low, high) < 0) {
            assertThat(TableEstimates.bytesUpTo(table, low))
                .as(context)
                .isLessThanOrEqualTo(TableEstimates.bytesUpTo(table, high));
            for (byte[] key : TableEstimates.separators(table, new KeyWindow(low, high), 1)) {
              assertThat(Bytes.compare(low, key)).as(context).isNegative();
              assertThat(Bytes.compare(key, high)).as(context).isNegative();
            }
          }
        });
  }

  private static void moveAtRandom(
      EntryCursor cursor, Entries entries, Random random, String context) {
    int size = entries.list.size();
    int index = -1;
    for (int i = 0; i < 300; i++) {
      byte[] key = someKey(entries, random);
      int move = random.nextInt(index < 0 || index >= size ? 4 : 12);
      switch (move) {
        case 0 -> {
          cursor.first();
          index = 0;
        }
        case 1 -> {
          cursor.last();
          index = size - 1;
        }
        case 2 -> {
          cursor.seek(key, 0, key.length);
          index = entries.ceiling(key);
        }
        case 3 -> {
          cursor.seekForPrev(key, 0, key.length);
          index = entries.floor(key);
        }
        case 4, 5, 6, 7 -> {
          cursor.next();
          index++;
        }
        default -> {
          cursor.prev();
          index--;
        }
      }
      assertThat(cursor.valid())
          .as(context + ", move " + move)
          .isEqualTo(index >= 0 && index < size);
      if (cursor.valid()) {
        assertSame(cursor, entries, index, context + ", move " + move);
      }
    }
  }

  private static void assertSame(EntryCursor cursor, Entries entries, int index, String context) {
    Entry found = Entries.at(cursor);
    Entry expected = entries.list.get(index);
    assertThat(Entries.same(found, expected))
        .as("%s: %s instead of %s at %d", context, found, expected, index)
        .isTrue();
  }

  private static byte[] someKey(Entries entries, Random random) {
    if (!entries.list.isEmpty() && random.nextInt(3) > 0) {
      byte[] key = entries.list.get(random.nextInt(entries.list.size())).key();
      return switch (random.nextInt(5)) {
        case 0 -> java.util.Arrays.copyOf(key, key.length + 1);
        case 1 -> java.util.Arrays.copyOf(key, Math.max(0, key.length - 1));
        default -> key;
      };
    }
    return Entries.key(random.nextInt(2000), 24);
  }

  private static long someSequence(Entries entries, Random random) {
    return random.nextBoolean()
        ? entries.list.get(random.nextInt(entries.list.size())).sequence() - random.nextInt(2)
        : random.nextInt(1 << 20);
  }
}
