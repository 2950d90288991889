// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.CorruptionException;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.bytes.Checksum;
import io.coppice.base.bytes.Coding;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.io.Disk;
import io.coppice.io.ErrorDisk;
import io.coppice.io.ErrorDisk.Operation;
import io.coppice.io.FileHeader;
import io.coppice.io.MemDisk;
import io.coppice.table.Entries.Entry;
import io.coppice.table.block.BlockCodec;
import io.coppice.table.block.BlockLayout;
import io.coppice.table.block.LevelCompression;
import io.coppice.table.filter.FilterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bytes that are not what was written. {@code -Dseed=…} repeats a failure. */
class TableDamageTest {

  private static final long SEED = Long.getLong("seed", 20261120L);
  private static final long NUMBER = 7;
  private static final String NAME = "000007.tbl";

  private final MemDisk disk = new MemDisk();
  private final MemoryBudget budget = MemoryBudget.ofMebibytes(8);
  private Entries entries;
  private TableMeta meta;
  private byte[] bytes;

  @BeforeEach
  void writeTable() throws IOException {
    entries = Entries.random(new Random(SEED), new Entries.Mix(400, 150, 3, 24, 60));
    if (codec() != BlockCodec.NONE) {
      entries = entries.compressible();
    }
    try (OpenTables tables = open(List.of())) {
      meta = FinishedTable.of(tables, entries.addTo(tables.create(NUMBER)));
    }
    bytes = disk.bytes(NAME);
  }

  @Test
  void everyFlippedByteIsReportedAndNeverAnswered() throws IOException {
    // Of plain blocks every third byte; which third depends on the seed.
    int step = codec() == BlockCodec.NONE ? 3 : 13;
    for (int at = Math.floorMod(SEED, step); at < bytes.length; at += step) {
      byte[] flipped = bytes.clone();
      flipped[at] ^= (byte) (1 << at % 8);
      disk.setBytes(NAME, flipped);
      int damagedReads = readAll("seed " + SEED + ", byte " + at, true);
      assertThat(damagedReads).as("seed %d, byte %d", SEED, at).isPositive();
    }
  }

  @Test
  void aShorterOrLongerFileIsRefused() throws IOException {
    for (int length = 0; length < bytes.length; length += 61) {
      disk.setBytes(NAME, Arrays.copyOf(bytes, length));
      assertRefused(NAME + " is damaged at offset " + length);
    }
    disk.setBytes(NAME, Arrays.copyOf(bytes, bytes.length + 1));
    assertRefused("the file has " + (bytes.length + 1));
  }

  @Test
  void aMissingFileIsRefused() throws IOException {
    disk.delete(NAME);
    assertRefused("missing");
  }

  @Test
  void anotherTableUnderTheSameNameIsRefused() throws IOException {
    MemDisk other = new MemDisk();
    try (OpenTables tables =
        OpenTables.open(other, budget, TableOptions.DEFAULT, FilterOptions.OFF, List.of())) {
      TableWriter writer = entries.addTo(tables.create(8));
      FinishedTable.of(tables, writer);
    }
    disk.setBytes(NAME, other.bytes("000008.tbl"));
    assertThat(disk.bytes(NAME)).isNotEqualTo(bytes);
    try (OpenTables tables = open(List.of(meta))) {
      assertThatThrownBy(() -> tables.get(NUMBER)).isInstanceOf(CorruptionException.class);
    }
  }

  @Test
  void aBlockFromAnotherPlaceOfTheSameFileIsReported() throws IOException {
    int first = FileHeader.BYTES;
    int length = blockLength(first);
    int second = first + length;
    int secondLength = blockLength(second);
    byte[] swapped = bytes.clone();
    System.arraycopy(bytes, second, swapped, first, secondLength);
    System.arraycopy(bytes, first, swapped, first + secondLength, length);
    disk.setBytes(NAME, swapped);

    assertThat(readAll("swapped", true)).isPositive();
  }

  @Test
  void hostileBytesUnderARightChecksumOnlyGiveCorruption() throws IOException {
    Random random = new Random(SEED);
    int[] units = units();
    for (int round = 0; round < (codec() == BlockCodec.NONE ? 6000 : 2000); round++) {
      int unit = random.nextInt(units.length - 1);
      int from = units[unit];
      int to = units[unit + 1];
      byte[] hostile = bytes.clone();
      for (int i = 0; i <= random.nextInt(3); i++) {
        int at = from + random.nextInt(to - from - BlockLayout.TRAILER_BYTES);
        // Restarts and counts stand at the end, and deserve as much attention as the rest.
        if (random.nextInt(4) == 0) {
          at = to - BlockLayout.TRAILER_BYTES - 1 - random.nextInt(Math.min(12, to - from - 6));
        }
        hostile[at] = (byte) (random.nextBoolean() ? random.nextInt(256) : 0xFF);
      }
      if (random.nextInt(8) == 0) {
        hostile[to - BlockLayout.TRAILER_BYTES] = (byte) random.nextInt(4);
      }
      int sum = Checksum.of(NUMBER, from, hostile, from, to - from - Integer.BYTES);
      Coding.putFixed32(hostile, to - Integer.BYTES, sum);
      disk.setBytes(NAME, hostile);
      readAll("seed " + SEED + ", round " + round, false);
    }
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void aReadErrorIsReportedAndEndsNoCursor() throws IOException {
    ErrorDisk failing = new ErrorDisk(disk);
    try (OpenTables tables = open(failing, List.of(meta))) {
      Table table = tables.get(NUMBER);
      byte[] key = entries.list.get(0).key();
      failing.fail(Operation.READ, 1, false);
      assertThatThrownBy(() -> table.get(new TableLookup(), LookupKeys.of(key, Long.MAX_VALUE)))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining(NAME);
      int read = 0;
      try (EntryCursor cursor = table.cursor()) {
        failing.fail(Operation.READ, 3, false);
        assertThatThrownBy(
                () -> {
                  for (cursor.first(); cursor.valid(); cursor.next()) {
                    assertThat(cursor.keyLength()).isNotNegative();
                  }
                })
            .isInstanceOf(UncheckedIOException.class);
        for (cursor.first(); cursor.valid(); cursor.next()) {
          read++;
        }
      }
      assertThat(read).isEqualTo(entries.list.size());
    }
  }

  @Test
  void anyFailureWhileWritingLeavesNothingBehind() throws IOException {
    for (Operation operation :
        List.of(Operation.CREATE, Operation.WRITE, Operation.SYNC, Operation.MAP, Operation.READ)) {
      int n = 1;
      while (failsAt(operation, n)) {
        n++;
      }
      assertThat(n).as("failures of " + operation).isGreaterThan(1);
    }
  }

  private boolean failsAt(Operation operation, int n) throws IOException {
    MemDisk fresh = new MemDisk();
    ErrorDisk failing = new ErrorDisk(fresh);
    OpenTables tables =
        OpenTables.open(failing, budget, TableOptions.DEFAULT, new FilterOptions(10, 1), List.of());
    failing.fail(operation, name -> name.equals(NAME), n, false);
    boolean failed = false;
    TableWriter writer = null;
    try {
      writer = tables.create(NUMBER);
      entries.addTo(writer);
      FinishedTable.of(tables, writer);
    } catch (IOException e) {
      assertThat(e).hasMessageContaining(ErrorDisk.MESSAGE);
      failed = true;
      if (writer != null) {
        writer.abort();
      }
    }
    assertThat(tables.size()).as(operation + " " + n).isEqualTo(failed ? 0 : 1);
    if (failed) {
      assertThat(fresh.list()).as(operation + " " + n).doesNotContain(NAME);
    }
    tables.close();
    assertThat(budget.usedBytes()).as(operation + " " + n).isZero();
    assertThat(fresh.openFiles()).as(operation + " " + n).isZero();
    return failed;
  }

  @Test
  void aSeriesLetsGoOfAllItsTablesThoughAFileCannotBeRemoved() throws IOException {
    ErrorDisk failing = new ErrorDisk(new MemDisk());
    AtomicLong numbers = new AtomicLong();
    try (OpenTables tables =
        OpenTables.open(
            failing, budget, TableOptions.DEFAULT, new FilterOptions(10, 1), List.of())) {
      RollingTableWriter series =
          new RollingTableWriter(failing, tables, numbers::incrementAndGet, 1 << 20);
      for (byte i = 1; i <= 3; i++) {
        if (i > 1) {
          series.cut(null);
        }
        series.add(new byte[] {i}, 1, i, EntryKind.PUT, new byte[0]);
      }
      assertThat(tables.size()).isEqualTo(2);
      failing.fail(Operation.DELETE, 1, true);
      assertThatThrownBy(series::close)
          .hasMessageContaining("000003.tbl")
          .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(2));
      assertThat(tables.size()).isZero();
      assertThat(budget.usedBytes()).isZero();
    }
  }

  /** The offsets of blocks, index and properties, and of the footer behind them. */
  private int[] units() {
    int footer = bytes.length - TableLayout.FOOTER_BYTES;
    int index = (int) Coding.fixed64(bytes, footer + TableLayout.INDEX_OFFSET);
    int properties = (int) Coding.fixed64(bytes, footer + TableLayout.PROPERTIES_OFFSET);
    IntStream.Builder offsets = IntStream.builder();
    for (int at = FileHeader.BYTES; at < index; at += blockLength(at)) {
      offsets.add(at);
    }
    return offsets.add(index).add(properties).add(footer).build().toArray();
  }

  /** Found as the shortest length under which the checksum is right. */
  private int blockLength(int offset) {
    for (int length = BlockLayout.MIN_STORED_BYTES; offset + length <= bytes.length; length++) {
      int sumAt = length - Integer.BYTES;
      if (Coding.fixed32(bytes, offset + sumAt)
          == Checksum.of(NUMBER, offset, bytes, offset, sumAt)) {
        return length;
      }
    }
    throw new AssertionError("no block at " + offset);
  }

  /**
   * Reads every key and walks both ways; nothing but {@link CorruptionException} may come out, and
   * if {@code trueOnly} nothing but the truth.
   *
   * @return how many reads reported damage
   */
  private int readAll(String context, boolean trueOnly) throws IOException {
    int damaged = 0;
    try (OpenTables tables = open(List.of(meta))) {
      if (!tables.damaged().isEmpty()) {
        return 1;
      }
      Table table = tables.get(NUMBER);
      TableLookup lookup = new TableLookup();
      for (int i = 0; i < entries.list.size(); i += 3) {
        Entry entry = entries.list.get(i);
        try {
          boolean found = table.get(lookup, LookupKeys.of(entry.key(), entry.sequence()));
          if (trueOnly) {
            assertThat(found).as(context).isTrue();
            assertThat(lookup.value()).as(context).isEqualTo(entry.value());
          }
        } catch (CorruptionException e) {
          damaged++;
        } catch (InvalidOptionsException e) {
          damaged += withoutTheLibrary(e);
        }
      }
      try (EntryCursor cursor = table.cursor()) {
        damaged += walk(cursor, true, trueOnly, context);
        damaged += walk(cursor, false, trueOnly, context);
      }
    }
    return damaged;
  }

  private int walk(EntryCursor cursor, boolean forward, boolean trueOnly, String context) {
    int size = entries.list.size();
    int index = forward ? 0 : size - 1;
    try {
      if (forward) {
        cursor.first();
      } else {
        cursor.last();
      }
      // A hostile table may hold more entries than it tells of, but not without end.
      for (int i = 0; cursor.valid() && i < 100_000; i++) {
        Entry found = Entries.at(cursor);
        if (trueOnly) {
          assertThat(Entries.same(found, entries.list.get(index))).as(context).isTrue();
        }
        index += forward ? 1 : -1;
        if (forward) {
          cursor.next();
        } else {
          cursor.prev();
        }
      }
      assertThat(cursor.valid()).as(context).isFalse();
      if (trueOnly) {
        assertThat(index).as(context).isEqualTo(forward ? size : -1);
      }
      return 0;
    } catch (CorruptionException e) {
      return 1;
    } catch (InvalidOptionsException e) {
      return withoutTheLibrary(e);
    }
  }

  /** Hostile bytes may ask for a codec that is not there. */
  private static int withoutTheLibrary(InvalidOptionsException e) {
    assertThat(NativeCodec.present()).as(e.getMessage()).isFalse();
    return 1;
  }

  private void assertRefused(String message) throws IOException {
    try (OpenTables tables = open(List.of(meta))) {
      assertThat(tables.damaged()).hasSize(1);
      assertThatThrownBy(() -> tables.get(NUMBER))
          .isInstanceOf(CorruptionException.class)
          .hasStackTraceContaining(message);
    }
    assertThat(budget.usedBytes()).isZero();
  }

  TableOptions form() {
    return new TableOptions(1024, 4).with(new LevelCompression(List.of(codec())));
  }

  /** That of the blocks. */
  BlockCodec codec() {
    return BlockCodec.NONE;
  }

  private OpenTables open(List<TableMeta> live) throws IOException {
    return open(disk, live);
  }

  private OpenTables open(Disk on, List<TableMeta> live) throws IOException {
    return OpenTables.open(on, budget, form(), FilterOptions.OFF, live);
  }
}
