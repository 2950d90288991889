// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.ClosedException;
import io.coppice.base.CorruptionException;
import io.coppice.base.MemoryBudget;
import io.coppice.io.ErrorDisk;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.table.Entries;
import io.coppice.table.Entries.Entry;
import io.coppice.table.FinishedTable;
import io.coppice.table.KeyWindow;
import io.coppice.table.LookupKeys;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.table.TableEstimates;
import io.coppice.table.TableLookup;
import io.coppice.table.TableMeta;
import io.coppice.table.TableOptions;
import io.coppice.table.cache.BlockCacheOptions;
import io.coppice.table.filter.FilterOptions;
import io.coppice.table.filter.KeyHash;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tables whose index and filter come into memory only when somebody reads them. */
class ColdTablesTest {

  private static final long SEED = Long.getLong("seed", 20261121L);
  private static final FilterOptions FILTERS = new FilterOptions(10, 7);
  private static final String FIRST = FileKind.TABLE.fileName(1);

  private final MemDisk disk = new MemDisk();
  private final MemoryBudget budget = MemoryBudget.ofMebibytes(8);
  private final List<TableMeta> metas = new ArrayList<>();
  private Entries entries;

  @BeforeEach
  void writeTables() throws IOException {
    entries = Entries.random(new Random(SEED), new Entries.Mix(400, 300, 1, 24, 60));
    try (OpenTables tables = open(Long.MAX_VALUE, List.of())) {
      for (int i = 1; i <= 4; i++) {
        metas.add(FinishedTable.of(tables, entries.addTo(tables.create(i))));
      }
    }
  }

  private OpenTables open(long warmBytes, List<TableMeta> live) throws IOException {
    return OpenTables.open(
        disk, budget, new TableOptions(256, 4), FILTERS, BlockCacheOptions.OFF, warmBytes, live);
  }

  private long indexAndFilterBytes() {
    return budget.usedBytes(MemoryBudget.Role.INDEX) + budget.usedBytes(MemoryBudget.Role.FILTER);
  }

  private static boolean finds(Table table, Entry entry) {
    byte[] key = entry.key();
    return table.mayContain(KeyHash.of(key, 0, key.length))
        && table.get(new TableLookup(), LookupKeys.of(key, Long.MAX_VALUE));
  }

  @Test
  void openingBringsNothingAndTheFirstReadOfATableThatTableAlone() throws IOException {
    try (OpenTables tables = open(0, metas)) {
      assertThat(indexAndFilterBytes()).isZero();
      assertThat(tables.damaged()).isEmpty();
      assertThat(disk.openFiles()).as("the file of filters").isEqualTo(1);

      assertThat(finds(tables.get(1), entries.list.get(17))).isTrue();

      assertThat(disk.openFiles()).isEqualTo(2);
      long ofOne = indexAndFilterBytes();
      assertThat(ofOne).isPositive();
      assertThat(tables.get(1).hasFilter()).isTrue();
      assertThat(tables.get(2).hasFilter()).isFalse();
      assertThat(tables.filterFigures().rebuilt()).isZero();
      for (Entry entry : entries.list) {
        for (TableMeta meta : metas) {
          assertThat(finds(tables.get(meta.number()), entry)).as("seed %d", SEED).isTrue();
        }
      }
      assertThat(indexAndFilterBytes()).isEqualTo(metas.size() * ofOne);
    }
    assertThat(budget.usedBytes()).isZero();
    assertThat(disk.openFiles()).isZero();
  }

  @Test
  void asManyAreWarmAsBytesAreGranted() throws IOException {
    try (OpenTables tables = open(2 * OpenTables.MIN_WARM_BYTES, metas)) {
      assertThat(metas.stream().filter(meta -> tables.get(meta.number()).hasFilter())).hasSize(2);
    }
  }

  @Test
  void whoOnlyReadsOpensAllFilesAsTheyMayBeRemoved() throws IOException {
    try (OpenTables tables = OpenTables.openForReading(disk, budget, metas)) {
      assertThat(disk.openFiles()).isEqualTo(metas.size() + 1);
      for (TableMeta meta : metas) {
        disk.delete(FileKind.TABLE.fileName(meta.number()));
        assertThat(finds(tables.get(meta.number()), entries.list.get(5))).isTrue();
      }
    }
  }

  @Test
  void whoOnlyReadsDoesWithoutFiltersThatCannotBeRead() throws IOException {
    ErrorDisk failing = new ErrorDisk(disk);
    failing.fail(ErrorDisk.Operation.READ, FileKind.FILTERS.fileName(0)::equals, 1, true);
    try (OpenTables tables = OpenTables.openForReading(failing, budget, metas)) {
      assertThat(failing.fired()).isTrue();
      for (TableMeta meta : metas) {
        assertThat(finds(tables.get(meta.number()), entries.list.get(3))).isTrue();
      }
    }
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void aTableThatIsCutShortIsReportedByEachReadAndByNoOtherTable() throws IOException {
    byte[] bytes = disk.bytes(FIRST);
    disk.setBytes(FIRST, Arrays.copyOf(bytes, bytes.length - 1));
    try (OpenTables tables = open(0, metas)) {
      Table table = tables.get(1);
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> finds(table, entries.list.get(0)))
            .isInstanceOf(CorruptionException.class)
            .hasMessageContaining(FIRST)
            .hasMessageContaining(bytes.length + " bytes were expected");
      }
      assertThat(finds(tables.get(2), entries.list.get(0))).isTrue();
    }
    assertThat(disk.openFiles()).isZero();
    assertThat(budget.usedBytes()).isZero();
  }

  private void failsOneRead(ErrorDisk.Fault fault, ErrorDisk.Operation operation)
      throws IOException {
    ErrorDisk failing = new ErrorDisk(disk);
    try (OpenTables tables =
        OpenTables.open(
            failing, budget, TableOptions.DEFAULT, FILTERS, BlockCacheOptions.OFF, 0, metas)) {
      failing.fail(fault, operation, FIRST::equals, 1);
      Table table = tables.get(1);
      assertThatThrownBy(() -> finds(table, entries.list.get(3)))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining(FIRST);
      assertThat(finds(table, entries.list.get(3))).isTrue();
    }
  }

  @Test
  void aFileThatCannotBeOpenedFailsThatReadAlone() throws IOException {
    failsOneRead(ErrorDisk.Fault.EMFILE, ErrorDisk.Operation.MAP);
  }

  @Test
  void aDamagedIndexIsReportedByEachReadAndByNoOtherTable() throws IOException {
    byte[] bytes = disk.bytes(FIRST);
    long offset;
    try (OpenTables tables = open(0, metas)) {
      TableIndex index = tables.get(1).index();
      offset = index.offset(index.blocks());
    }
    bytes[(int) offset + 5] ^= 4;
    disk.setBytes(FIRST, bytes);
    try (OpenTables tables = open(0, metas)) {
      Table table = tables.get(1);
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> finds(table, entries.list.get(0)))
            .isInstanceOf(CorruptionException.class)
            .hasMessageContaining(FIRST)
            .hasMessageContaining(String.valueOf(offset));
        assertThatThrownBy(() -> table.cursor().first()).isInstanceOf(CorruptionException.class);
      }
      assertThat(finds(tables.get(2), entries.list.get(0))).isTrue();
    }
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void anIndexThatCannotBeReadFailsThatReadAlone() throws IOException {
    failsOneRead(ErrorDisk.Fault.EIO, ErrorDisk.Operation.READ);
  }

  @Test
  void planningBringsNoFilterAndALookupStillDoes() throws IOException {
    byte[] key = entries.list.get(40).key();
    try (OpenTables tables = open(0, metas)) {
      Table table = tables.get(2);
      assertThat(TableEstimates.bytesUpTo(table, key)).isPositive();
      assertThat(TableEstimates.separators(table, KeyWindow.ALL, 64)).isNotEmpty();
      assertThat(table.hasFilter()).isFalse();
      assertThat(finds(table, entries.list.get(40))).isTrue();
      assertThat(table.hasFilter()).isTrue();
    }
  }

  @Test
  void aFilterThatCannotBeReadFailsNoRead() throws IOException {
    ErrorDisk failing = new ErrorDisk(disk);
    try (OpenTables tables =
        OpenTables.open(
            failing, budget, TableOptions.DEFAULT, FILTERS, BlockCacheOptions.OFF, 0, metas)) {
      String filters = FileKind.FILTERS.fileName(0);
      failing.fail(ErrorDisk.Fault.EIO, ErrorDisk.Operation.READ, filters::equals, 1);
      assertThat(finds(tables.get(1), entries.list.get(3))).isTrue();
      assertThat(failing.fired()).isTrue();
      assertThat(tables.get(1).hasFilter()).isFalse();
    }
  }

  /** Opens warm tables while a file fails from a read on, and then finds entries in all. */
  private boolean opensDespite(String file, int read) throws IOException {
    ErrorDisk failing = new ErrorDisk(disk);
    failing.fail(ErrorDisk.Operation.READ, file::equals, read, true);
    try (OpenTables tables =
        OpenTables.open(
            failing,
            budget,
            TableOptions.DEFAULT,
            FILTERS,
            BlockCacheOptions.OFF,
            Long.MAX_VALUE,
            metas)) {
      boolean fired = failing.fired();
      failing.heal();
      assertThat(tables.damaged()).isEmpty();
      for (TableMeta meta : metas) {
        assertThat(finds(tables.get(meta.number()), entries.list.get(3))).isTrue();
      }
      return fired;
    }
  }

  @Test
  void aFilterThatCannotBeReadIsNoReasonNotToOpen() throws IOException {
    int read = 1;
    while (opensDespite(FileKind.FILTERS.fileName(0), read)) {
      read++;
    }
    assertThat(read).as("the header, and a slot for each table").isGreaterThan(1 + metas.size());
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void aBlockThatCannotBeReadWhileFiltersAreMadeAnewIsNoReasonNotToOpen() throws IOException {
    // What is read first a table cannot do without; all else is read for the filter.
    int opened = 0;
    for (int read = 1; read <= 20; read++) {
      disk.delete(FileKind.FILTERS.fileName(0));
      try {
        opened += opensDespite(FIRST, read) ? 1 : 0;
      } catch (IOException | UncheckedIOException e) {
        assertThat(opened).as("failed after it had opened: " + e).isZero();
      }
    }
    assertThat(opened).as("openings with a bad block").isPositive();
  }

  @Test
  void aLostFilterIsMadeAnewByTheFirstRead() throws IOException {
    disk.delete(FileKind.FILTERS.fileName(0));
    try (OpenTables tables = open(0, metas)) {
      assertThat(tables.filterFigures().rebuilt()).isZero();
      assertThat(finds(tables.get(3), entries.list.get(9))).isTrue();
      assertThat(tables.get(3).hasFilter()).isTrue();
      assertThat(tables.filterFigures().rebuilt()).isEqualTo(1);
    }
  }

  @Test
  void threadsThatAskAtOnceShareOneIndex() throws Exception {
    int threads = 8;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      for (int round = 0; round < 20; round++) {
        try (OpenTables tables = open(0, metas)) {
          CyclicBarrier start = new CyclicBarrier(threads);
          List<Future<Boolean>> found = new ArrayList<>();
          for (int i = 0; i < threads; i++) {
            Entry entry = entries.list.get(i);
            found.add(
                pool.submit(
                    () -> {
                      start.await();
                      return finds(tables.get(1), entry);
                    }));
          }
          for (Future<Boolean> answer : found) {
            assertThat(answer.get()).isTrue();
          }
        }
        assertThat(budget.usedBytes()).isZero();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void aClosedTableIsNotWarmedAgain() throws IOException {
    OpenTables tables = open(0, metas);
    Table table = tables.get(1);
    tables.close();
    assertThatThrownBy(() -> finds(table, entries.list.get(0))).isInstanceOf(ClosedException.class);
    assertThat(budget.usedBytes()).isZero();
  }
}
