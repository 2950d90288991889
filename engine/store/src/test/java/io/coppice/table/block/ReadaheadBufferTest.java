// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.CorruptionException;
import io.coppice.base.MemoryBudget;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.io.BlockReader;
import io.coppice.io.BlockReaderOptions;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.PassingDisk;
import io.coppice.io.ReadBatch;
import io.coppice.table.BlockPrefetch;
import io.coppice.table.FinishedTable;
import io.coppice.table.KeyWindow;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.table.TableMeta;
import io.coppice.table.TableOptions;
import io.coppice.table.TableWriter;
import io.coppice.table.cache.BlockCacheOptions;
import io.coppice.table.filter.FilterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a walk along a table reads, and when. */
class ReadaheadBufferTest {

  private static final int KEYS = 9000;
  private static final int BLOCK = 1024;

  private record Read(long offset, int length) {}

  /** Notes what is read, and fails where it is told to. */
  private final class WatchedDisk extends PassingDisk {
    final List<Read> reads = new ArrayList<>();
    long failingAt = -1;
    long damagedAt = -1;
    boolean mapped;
    boolean inMemory;

    WatchedDisk() {
      super(memory);
    }

    @Override
    public InputFile map(String name) throws IOException {
      return new PassingInput(disk.map(name)) {
        @Override
        public boolean mapped() {
          return mapped;
        }

        @Override
        public boolean likelyInMemory(long position, int length) {
          return inMemory;
        }

        @Override
        public void read(long position, byte[] target, int offset, int length) throws IOException {
          reads.add(new Read(position, length));
          if (failingAt >= position && failingAt < position + length) {
            throw new IOException("no such luck");
          }
          super.read(position, target, offset, length);
          if (damagedAt >= position && damagedAt < position + length) {
            target[offset + (int) (damagedAt - position)] ^= 4;
          }
        }
      };
    }
  }

  private final MemDisk memory = new MemDisk();
  private final WatchedDisk disk = new WatchedDisk();
  private final MemoryBudget budget = MemoryBudget.ofMebibytes(8);

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  private OpenTables open(Disk on, List<TableMeta> live) throws IOException {
    return OpenTables.open(
        on,
        budget,
        new TableOptions(BLOCK, 16),
        FilterOptions.OFF,
        new BlockCacheOptions(1 << 20, false),
        OpenTables.WARM_BYTES,
        live);
  }

  /** A table of some 450 blocks. */
  private TableMeta write() throws IOException {
    return write(-1);
  }

  /** Writes a table in which one key, if any, has a value of many blocks. */
  private TableMeta write(int largeKey) throws IOException {
    try (OpenTables tables = open(memory, List.of())) {
      TableWriter writer = tables.create(1);
      for (int i = 0; i < KEYS; i++) {
        byte[] value = new byte[i == largeKey ? 64 * BLOCK : 40];
        value[0] = (byte) i;
        writer.add(key(i), 0, 4, 1, EntryKind.PUT, value, 0, value.length);
      }
      return FinishedTable.of(tables, writer);
    }
  }

  private interface Use {
    void of(Table table, OpenTables tables) throws IOException;
  }

  private void with(TableMeta meta, Use use) throws IOException {
    try (OpenTables tables = open(disk, List.of(meta))) {
      disk.reads.clear();
      use.of(tables.get(1), tables);
    }
    assertThat(budget.usedBytes()).isZero();
  }

  private static void walk(EntryCursor cursor, int from, int to) {
    int step = Integer.signum(to - from);
    for (int i = from; i != to; i += step) {
      assertThat(cursor.valid()).isTrue();
      int found = ByteBuffer.wrap(cursor.keyArray(), cursor.keyOffset(), 4).getInt();
      assertThat(found).isEqualTo(i);
      assertThat(cursor.valueArray()[cursor.valueOffset()]).isEqualTo((byte) i);
      if (step > 0) {
        cursor.next();
      } else {
        cursor.prev();
      }
    }
  }

  private static int lastKey(Table table, int block) {
    BlockCursor cursor = new BlockCursor();
    BlockBuffer buffer = new BlockBuffer();
    table.load(table.index(), block, buffer, cursor);
    cursor.last();
    return ByteBuffer.wrap(cursor.keyArray(), cursor.keyOffset(), 4).getInt();
  }

  @Test
  void aWalkReadsEveryByteOnceInFewReads() throws IOException {
    with(
        write(),
        (table, tables) -> {
          long bytes = table.index().offset(table.index().blocks()) - table.index().offset(0);
          for (boolean forward : new boolean[] {true, false}) {
            disk.reads.clear();
            try (EntryCursor cursor = table.cursor()) {
              if (forward) {
                cursor.first();
                walk(cursor, 0, KEYS);
              } else {
                cursor.last();
                walk(cursor, KEYS - 1, -1);
              }
              assertThat(cursor.valid()).isFalse();
            }
            assertThat(disk.reads.stream().mapToLong(Read::length).sum()).isEqualTo(bytes);
            assertThat(disk.reads.subList(0, 3)).allMatch(read -> read.length() < 2 * BLOCK);
            assertThat(disk.reads.subList(3, disk.reads.size()))
                .hasSizeBetween(4, 8)
                .allMatch(read -> read.length() <= ReadaheadBuffer.MAX_BYTES);
            assertThat(disk.reads.get(3).length())
                .isBetween(ReadaheadBuffer.FIRST_BYTES - 2 * BLOCK, ReadaheadBuffer.FIRST_BYTES);
            assertThat(tables.cacheFigures().inserts()).isZero();
          }
        });
  }

  @Test
  void whoTurnsRoundOrJumpsReadsTheRightBytes() throws IOException {
    with(
        write(),
        (table, tables) -> {
          try (EntryCursor cursor =
              table.cursor(KeyWindow.ALL, new BlockPrefetch(), new ReadaheadBuffer())) {
            for (int from = 500; from < KEYS; from += 1711) {
              cursor.seek(key(from), 0, 4);
              int to = Math.min(KEYS - 1, from + 700);
              walk(cursor, from, to);
              walk(cursor, to, from - 400);
              walk(cursor, from - 400, from);
            }
          }
        });
  }

  @Test
  void aShortWalkReadsSingleBlocksAndFindsThemInTheCacheNextTime() throws IOException {
    with(
        write(),
        (table, tables) -> {
          for (int round = 0; round < 2; round++) {
            try (EntryCursor cursor =
                table.cursor(KeyWindow.ALL, new BlockPrefetch(), new ReadaheadBuffer())) {
              cursor.seek(key(100), 0, 4);
              walk(cursor, 100, 120);
            }
          }
          assertThat(disk.reads).hasSizeBetween(2, 3).allMatch(read -> read.length() < 2 * BLOCK);
          assertThat(tables.cacheFigures().hits()).isEqualTo(disk.reads.size());
        });
  }

  @Test
  void whatIsMappedAndInMemoryIsTakenBlockByBlock() throws IOException {
    disk.mapped = true;
    disk.inMemory = true;
    with(
        write(),
        (table, tables) -> {
          try (EntryCursor cursor = table.cursor()) {
            cursor.first();
            walk(cursor, 0, KEYS);
          }
          assertThat(disk.reads).hasSize(table.index().blocks());
        });
  }

  @Test
  void aBlockThatCannotBeReadFailsOnlyWhoComesToIt() throws IOException {
    with(
        write(),
        (table, tables) -> {
          int bad = 200;
          int next = lastKey(table, bad) + 1;
          disk.failingAt = table.index().offset(bad) + 10;
          try (EntryCursor cursor = table.cursor()) {
            cursor.first();
            assertThatThrownBy(() -> walk(cursor, 0, KEYS))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("" + table.index().offset(bad))
                .hasMessageContaining(FileKind.TABLE.fileName(1));
            assertThat(cursor.valid()).isFalse();
            cursor.seek(key(next), 0, 4);
            walk(cursor, next, KEYS);
          }
        });
  }

  @Test
  void aDamagedBlockIsReportedByItsOwnOffsetWhenSomebodyComesToIt() throws IOException {
    TableMeta meta = write();
    with(
        meta,
        (table, tables) -> {
          long offset = table.index().offset(300);
          int end = lastKey(table, 299) + 1;
          disk.damagedAt = offset + 100;
          try (EntryCursor cursor = table.cursor()) {
            cursor.first();
            walk(cursor, 0, end - 1);
            assertThatThrownBy(() -> walk(cursor, end - 1, end))
                .isInstanceOfSatisfying(
                    CorruptionException.class,
                    damage -> assertThat(damage.offset()).isEqualTo(offset));
          }
          assertThat(tables.cacheFigures().inserts()).isZero();
        });
  }

  /** Moves to a key near the end of a block, and goes on from there. */
  private void move(Table table, int block, int steps) {
    int key = lastKey(table, block);
    disk.reads.clear();
    try (EntryCursor cursor =
        table.cursor(KeyWindow.ALL, new BlockPrefetch(), new ReadaheadBuffer())) {
      cursor.seek(key(key), 0, 4);
      walk(cursor, key, key + steps);
    }
  }

  @Test
  void cursorsThatOftenGoOnReadTwoBlocksAtOnce() throws IOException {
    with(
        write(),
        (table, tables) -> {
          int block = 0;
          for (int i = 0; i < 8; i++, block += 3) {
            move(table, block, 2);
          }
          for (int i = 0; i < 8; i++, block += 3) {
            move(table, block, 2);
            assertThat(disk.reads)
                .containsExactly(new Read(table.index().offset(block), table.blockBytes(block, 2)));
          }
          for (int i = 0; i < 16; i++, block += 3) {
            move(table, block, 0);
          }
          for (int i = 0; i < 8; i++, block += 3) {
            move(table, block, 0);
            assertThat(disk.reads)
                .containsExactly(new Read(table.index().offset(block), table.blockBytes(block)));
          }
        });
  }

  @Test
  void aBlockBesideALargeValueIsReadAlone() throws IOException {
    int block = 100;
    int[] last = new int[1];
    with(write(), (table, tables) -> last[0] = lastKey(table, block));
    memory.delete(FileKind.TABLE.fileName(1));
    with(
        write(last[0] + 1),
        (table, tables) -> {
          for (int i = 0; i < 8; i++) {
            move(table, 3 * i, 2);
          }
          move(table, block, 0);
          assertThat(disk.reads)
              .containsExactly(new Read(table.index().offset(block), table.blockBytes(block)));
        });
  }

  @Test
  void theSecondOfTwoBlocksFailsOnlyWhoComesToIt() throws IOException {
    with(
        write(),
        (table, tables) -> {
          for (int i = 0; i < 8; i++) {
            move(table, 3 * i, 2);
          }
          long second = table.index().offset(101);
          disk.failingAt = second + 10;
          move(table, 100, 0);
          assertThatThrownBy(() -> move(table, 100, 2))
              .isInstanceOf(UncheckedIOException.class)
              .hasMessageContaining("" + second);
          disk.failingAt = -1;
          disk.damagedAt = table.index().offset(201) + 10;
          move(table, 200, 0);
          assertThatThrownBy(() -> move(table, 200, 2)).isInstanceOf(CorruptionException.class);
        });
  }

  @Test
  void aBatchReadsTwoBlocksAtOnceToo() throws IOException {
    with(
        write(),
        (table, tables) -> {
          for (int i = 0; i < 8; i++) {
            move(table, 3 * i, 2);
          }
          int[] blocks = {100, 200};
          int[] keys = {lastKey(table, 100), lastKey(table, 200)};
          disk.reads.clear();
          BlockPrefetch ahead = new BlockPrefetch();
          try (BlockReader reader =
                  disk.blockReader(new BlockReaderOptions("serial", false, budget));
              ReadBatch batch = reader.newBatch();
              EntryCursor cursor = table.cursor(KeyWindow.ALL, ahead, new ReadaheadBuffer())) {
            for (int key : keys) {
              table.addFirstBlock(ahead, key(key), 0, 4, true);
            }
            ahead.request(batch);
            for (int key : keys) {
              cursor.seek(key(key), 0, 4);
              walk(cursor, key, key + 2);
            }
            ahead.clear();
          }
          assertThat(disk.reads)
              .containsExactly(
                  new Read(table.index().offset(blocks[0]), table.blockBytes(blocks[0], 2)),
                  new Read(table.index().offset(blocks[1]), table.blockBytes(blocks[1], 2)));
        });
  }
}
