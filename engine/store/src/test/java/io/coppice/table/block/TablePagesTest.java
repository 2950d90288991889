// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.CorruptionException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.VersionException;
import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.Bytes;
import io.coppice.base.bytes.Checksum;
import io.coppice.io.Disk;
import io.coppice.io.FileHeader;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.table.Entries;
import io.coppice.table.Entries.Entry;
import io.coppice.table.FinishedTable;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.table.TableMeta;
import io.coppice.table.TableOptions;
import io.coppice.table.filter.FilterOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tables whose blocks end with pages of the file. {@code -Dseed=…} repeats a failure. */
class TablePagesTest {

  private static final long SEED = Long.getLong("seed", 20261125L);
  private static final int PAGE = 4096;
  private static final long NUMBER = 7;
  private static final TableOptions PAGES = TableOptions.DEFAULT.with(true);

  private final MemDisk disk = new MemDisk();
  private final MemoryBudget budget = MemoryBudget.ofMebibytes(8);

  private interface Check {
    void of(Table table) throws IOException;
  }

  /** Values of up to so many bytes, at most a tenth less. */
  private static Entries entries(int count, int valueBytes) {
    Random random = new Random(SEED + valueBytes);
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] key = String.format("key%013d", i).getBytes(java.nio.charset.StandardCharsets.UTF_8);
      byte[] value = new byte[valueBytes - random.nextInt(1 + valueBytes / 10)];
      random.nextBytes(value);
      entries.add(new Entry(key, 1L << random.nextInt(55), io.coppice.entry.EntryKind.PUT, value));
    }
    return Entries.of(entries);
  }

  private TableMeta write(TableOptions form, Entries entries, Check check) throws IOException {
    try (OpenTables tables = OpenTables.open(disk, budget, form, FilterOptions.OFF, List.of())) {
      TableMeta meta = FinishedTable.of(tables, entries.addTo(tables.create(NUMBER)));
      check.of(tables.get(NUMBER));
      return meta;
    } finally {
      assertThat(budget.usedBytes()).isZero();
    }
  }

  private static int pagesOf(TableIndex index, int block) {
    return (int) ((index.offset(block + 1) - 1) / PAGE - index.offset(block) / PAGE + 1);
  }

  /** All entries as they were written. */
  private static void assertSame(Table table, Entries entries) {
    BlockBuffer buffer = new BlockBuffer();
    BlockCursor cursor = new BlockCursor();
    int at = 0;
    for (int block = 0; block < table.index().blocks(); block++) {
      table.load(table.index(), block, buffer, cursor);
      for (cursor.first(); cursor.valid(); cursor.next()) {
        Entry expected = entries.list.get(at++);
        assertThat(cursor.sequence()).isEqualTo(expected.sequence());
        assertThat(cursor.kind()).isEqualTo(expected.kind());
        assertThat(Bytes.copy(cursor.keyArray(), cursor.keyOffset(), cursor.keyLength()))
            .isEqualTo(expected.key());
        assertThat(Bytes.copy(cursor.valueArray(), cursor.valueOffset(), cursor.valueLength()))
            .isEqualTo(expected.value());
      }
    }
    assertThat(at).isEqualTo(entries.list.size());
  }

  @Test
  void everyBlockOfSmallEntriesLiesInOnePage() throws IOException {
    for (int value : new int[] {0, 1, 30, 100, 400}) {
      Entries entries = entries(3000, value);
      write(
          PAGES,
          entries,
          table -> {
            TableIndex index = table.index();
            for (int block = 0; block < index.blocks(); block++) {
              assertThat(pagesOf(index, block)).as(value + " bytes, block " + block).isEqualTo(1);
            }
            assertSame(table, entries);
          });
      disk.delete(FileKind.TABLE.fileName(NUMBER));
    }
  }

  @Test
  void withoutItMostBlocksLieInTwoPages() throws IOException {
    write(
        TableOptions.DEFAULT,
        entries(3000, 100),
        table -> {
          TableIndex index = table.index();
          int two = 0;
          for (int block = 0; block < index.blocks(); block++) {
            two += pagesOf(index, block) - 1;
          }
          assertThat(two).isGreaterThan(index.blocks() * 9 / 10);
        });
  }

  @Test
  void paddingTakesAboutHalfAnEntryOfEachBlock() throws IOException {
    for (int value : new int[] {100, 400}) {
      Entries entries = entries(4000, value);
      long plain = write(TableOptions.DEFAULT, entries, table -> {}).bytes();
      disk.delete(FileKind.TABLE.fileName(NUMBER));
      long padded = write(PAGES, entries, table -> {}).bytes();
      disk.delete(FileKind.TABLE.fileName(NUMBER));
      assertThat((double) padded / plain)
          .as(value + " bytes")
          .isBetween(1.0, 1 + (value * 0.5 + 60) / PAGE);
    }
  }

  @Test
  void largeEntriesAreNotPaddedMuch() throws IOException {
    for (int value : new int[] {700, 1500, 3000, 5000, 9000}) {
      Entries entries = entries(300, value);
      write(
          PAGES,
          entries,
          table -> {
            assertSame(table, entries);
            long bytes = table.index().offset(table.index().blocks());
            long entered = entries.list.stream().mapToLong(e -> e.value().length + 40).sum();
            assertThat(bytes).isLessThan(entered * 9 / 8 + PAGE);
          });
      disk.delete(FileKind.TABLE.fileName(NUMBER));
    }
  }

  @Test
  void otherBlockSizesAreReadBack() throws IOException {
    for (int block : new int[] {32, 100, 512, 1000, 4000, 4097, 5000, 16 << 10, 1 << 20}) {
      Entries entries = entries(2000, 60);
      write(new TableOptions(block, 3).with(true), entries, table -> assertSame(table, entries));
      disk.delete(FileKind.TABLE.fileName(NUMBER));
    }
  }

  private FileHeader header() throws IOException {
    try (Disk.InputFile file = disk.open(FileKind.TABLE.fileName(NUMBER))) {
      return FileHeader.read(file, FileKind.TABLE, NUMBER);
    }
  }

  @Test
  void aFileThatMayHavePaddingSaysSoAndOthersDoNot() throws IOException {
    write(PAGES, entries(100, 100), table -> {});
    assertThat(header().must()).isEqualTo(FileHeader.PADDED_BLOCKS);
    disk.delete(FileKind.TABLE.fileName(NUMBER));
    write(TableOptions.DEFAULT, entries(100, 100), table -> {});
    assertThat(header().must()).isZero();
    disk.delete(FileKind.TABLE.fileName(NUMBER));
    TableOptions compressed = PAGES.with(new LevelCompression(List.of(BlockCodec.LZ4)));
    write(compressed, entries(100, 100), table -> {});
    assertThat(header().must()).isZero();
  }

  @Test
  void onlyTablesMayHavePaddingAndNothingElseIsKnown() {
    for (FileKind kind : FileKind.values()) {
      FileHeader padded = FileHeader.of(kind, 1).needing(FileHeader.PADDED_BLOCKS);
      if (kind == FileKind.TABLE) {
        assertThat(FileHeader.decode("f", padded.encode(), kind, 1)).isEqualTo(padded);
      } else {
        assertThatThrownBy(() -> FileHeader.decode("f", padded.encode(), kind, 1))
            .isInstanceOf(VersionException.class);
      }
      assertThatThrownBy(
              () -> FileHeader.decode("f", FileHeader.of(kind, 1).needing(2).encode(), kind, 1))
          .isInstanceOf(VersionException.class)
          .hasMessageContaining("features 2");
    }
  }

  /** One large value puts blocks off pages; a few blocks later they are back. */
  @Test
  void smallEntriesComeBackToPagesBehindLargeOnes() throws IOException {
    List<Entry> list = new ArrayList<>(entries(6000, 20).list);
    for (int i = 500; i < list.size(); i += 1000) {
      Entry small = list.get(i);
      list.set(i, new Entry(small.key(), small.sequence(), small.kind(), new byte[2000 + i]));
    }
    Entries entries = Entries.of(list);
    write(
        PAGES,
        entries,
        table -> {
          assertSame(table, entries);
          TableIndex index = table.index();
          int off = 0;
          for (int block = 0; block < index.blocks(); block++) {
            off += pagesOf(index, block) > 1 ? 1 : 0;
          }
          assertThat(off).isLessThanOrEqualTo(3 * 6);
        });
  }

  @Test
  void onlyABlockOfOneEntryIsLargerThanAsked() throws IOException {
    for (int value : new int[] {20, 100, 450, 480, 600, 1500, 4000}) {
      Entries entries = entries(1000, value);
      write(
          PAGES,
          entries,
          table -> {
            TableIndex index = table.index();
            BlockBuffer buffer = new BlockBuffer();
            BlockCursor cursor = new BlockCursor();
            for (int block = 0; block < index.blocks(); block++) {
              table.load(index, block, buffer, cursor);
              cursor.first();
              cursor.next();
              if (cursor.valid()) {
                assertThat(index.length(block)).as(value + " bytes").isLessThanOrEqualTo(PAGE);
              }
            }
          });
      disk.delete(FileKind.TABLE.fileName(NUMBER));
    }
  }

  /** Bytes of a block of three entries, without its trailer. */
  private static byte[] body() {
    ByteSink sink = new ByteSink(64);
    BlockBuilder builder = new BlockBuilder(sink, 16, BlockCodec.NONE, null);
    builder.begin();
    for (byte i = 0; i < 3; i++) {
      builder.add(new byte[] {i}, 0, 1, 5, io.coppice.entry.EntryKind.PUT, new byte[] {9, i}, 0, 2);
    }
    builder.finish(NUMBER, 0, 0);
    return Bytes.copy(sink.array(), 0, sink.length() - BlockLayout.TRAILER_BYTES);
  }

  /** Entries that a block with this behind its body shows. */
  private static int read(byte[] body, int zeros, int padding) throws IOException {
    ByteSink sink = new ByteSink(64);
    sink.bytes(body, 0, body.length).bytes(new byte[zeros], 0, zeros);
    sink.u8(padding).u8(padding >>> 8);
    BlockBuilder.seal(sink, 0, BlockLayout.PADDED, new Checksum(), NUMBER, 0);
    MemDisk forged = new MemDisk();
    String name = FileKind.TABLE.fileName(NUMBER);
    try (Disk.OutputFile out = forged.create(name)) {
      out.write(sink.array(), 0, sink.length());
      out.sync();
    }
    try (Disk.InputFile file = forged.open(name);
        Codecs codecs = new Codecs()) {
      BlockBuffer buffer = new BlockBuffer();
      BlockCursor cursor = new BlockCursor();
      cursor.reset(name, 0, buffer, buffer.readBlock(file, null, NUMBER, 0, sink.length(), codecs));
      int entries = 0;
      for (cursor.first(); cursor.valid(); cursor.next()) {
        entries++;
      }
      return entries;
    }
  }

  @Test
  void paddingIsTakenOffAndAForgedOneIsDamage() throws IOException {
    byte[] body = body();
    for (int zeros : new int[] {0, 1, 2, 100, 510}) {
      int right = zeros + Short.BYTES;
      assertThat(read(body, zeros, right)).isEqualTo(3);
      for (int padding = right + 1; padding <= right + body.length + 3; padding++) {
        int wrong = padding;
        assertThatThrownBy(() -> read(body, zeros, wrong))
            .as(zeros + " zeros, padding " + padding)
            .isInstanceOf(CorruptionException.class);
      }
      assertThatThrownBy(() -> read(body, zeros, 65_535)).isInstanceOf(CorruptionException.class);
    }
  }
}
