// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.CorruptionException;
import io.coppice.base.MemoryBudget;
import io.coppice.io.Disk;
import io.coppice.io.ErrorDisk;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.table.cache.BlockCacheOptions;
import io.coppice.table.filter.FilterOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** So many tables that several threads open them. */
class ManyTablesTest {

  private static final int TABLES = 5 * ManyTables.TABLES_PER_THREAD;
  private static final FilterOptions FILTERS = new FilterOptions(10, 7);

  private final MemDisk disk = new MemDisk();
  private final MemoryBudget budget = MemoryBudget.ofMebibytes(64);
  private final List<TableMeta> metas = new ArrayList<>();
  private Entries entries;

  @BeforeEach
  void writeTables() throws IOException {
    entries = Entries.random(new Random(1), new Entries.Mix(4, 3, 1, 4, 8));
    try (OpenTables tables = open(List.of())) {
      for (int i = 1; i <= TABLES; i++) {
        metas.add(FinishedTable.of(tables, entries.addTo(tables.create(i))));
      }
    }
  }

  private OpenTables open(List<TableMeta> live) throws IOException {
    return open(disk.reopen(), live);
  }

  /** All of them at once. */
  private OpenTables open(Disk from, List<TableMeta> live) throws IOException {
    return OpenTables.open(
        from, budget, TableOptions.DEFAULT, FILTERS, BlockCacheOptions.OFF, Long.MAX_VALUE, live);
  }

  @Test
  void allAreOpenWithTheirFilters() throws IOException {
    try (OpenTables tables = open(metas)) {
      assertThat(tables.size()).isEqualTo(TABLES);
      for (TableMeta meta : metas) {
        assertThat(tables.get(meta.number()).meta()).isEqualTo(meta);
        assertThat(tables.get(meta.number()).hasFilter()).isTrue();
      }
      assertThat(tables.filterFigures().rebuilt()).isZero();
    }
    assertThat(budget.usedBytes()).isZero();
    assertThat(disk.openFiles()).isZero();
  }

  @Test
  void damagedOnesKeepNoOtherFromOpeningAndLostFiltersAreMadeAnew() throws IOException {
    for (int i = 0; i < TABLES; i += 100) {
      disk.setBytes(FileKind.TABLE.fileName(metas.get(i).number()), new byte[10]);
    }
    disk.delete(FileKind.FILTERS.fileName(0));
    try (OpenTables tables = open(metas)) {
      for (int i = 0; i < TABLES; i++) {
        long number = metas.get(i).number();
        if (i % 100 == 0) {
          assertThatThrownBy(() -> tables.get(number)).isInstanceOf(CorruptionException.class);
        } else {
          assertThat(tables.get(number).hasFilter()).isTrue();
        }
      }
      assertThat(tables.damaged()).hasSize((TABLES + 99) / 100);
      assertThat(tables.filterFigures().rebuilt()).isEqualTo(TABLES - (TABLES + 99) / 100);
    }
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void aFailureEndsOpeningAndGivesAllBack() throws IOException {
    ErrorDisk failing = new ErrorDisk(disk.reopen());
    String name = FileKind.TABLE.fileName(metas.get(TABLES / 2).number());
    failing.fail(ErrorDisk.Fault.EIO, ErrorDisk.Operation.READ, name::equals, 1);
    assertThatThrownBy(() -> open(failing, metas)).isInstanceOf(IOException.class);
    assertThat(budget.usedBytes()).isZero();
    assertThat(disk.openFiles()).isZero();
  }
}
