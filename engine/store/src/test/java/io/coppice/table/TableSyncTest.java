// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.MemoryBudget;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.entry.EntryKind;
import io.coppice.io.Disk;
import io.coppice.io.DiskOp;
import io.coppice.io.ErrorDisk;
import io.coppice.io.ErrorDisk.Operation;
import io.coppice.io.MemDisk;
import io.coppice.io.SpoiltDisk;
import io.coppice.table.filter.FilterOptions;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A worker makes tables durable while the next are written; nobody names one that is not. */
class TableSyncTest {

  private static final String DIRECTORY = "the directory";

  private final SeededWorkers workers = new SeededWorkers(Seeds.seed(3));
  private final MemoryBudget budget = MemoryBudget.ofMebibytes(8);
  private final MemDisk files = new MemDisk();

  /** What was synced so far. */
  private final List<String> synced = new ArrayList<>();

  private final Disk watched =
      new SpoiltDisk(
          files,
          SpoiltDisk.Manner.DROPPED,
          (kind, name, site) -> {
            if (kind == DiskOp.Kind.SYNC_DIRECTORY) {
              synced.add(DIRECTORY);
            } else if (kind == DiskOp.Kind.SYNC) {
              synced.add(name);
            }
            return false;
          });

  private OpenTables open(Disk disk) throws IOException {
    OpenTables tables =
        OpenTables.open(disk, budget, TableOptions.DEFAULT, new FilterOptions(10, 1), List.of());
    tables.syncIn(workers, "store-sync");
    synced.clear();
    return tables;
  }

  private static RollingTableWriter series(Disk disk, OpenTables tables) {
    return new RollingTableWriter(disk, tables, new AtomicLong()::incrementAndGet, 1 << 20);
  }

  private static void write(RollingTableWriter series, int from, int to) throws IOException {
    for (int i = from; i <= to; i++) {
      series.add(new byte[] {(byte) i}, 1, i, EntryKind.PUT, new byte[0]);
      series.cut(null);
    }
  }

  @Test
  void aWorkerSyncsWhileTheNextIsWrittenAndTheWriterDoesTheRest() throws IOException {
    try (OpenTables tables = open(watched);
        RollingTableWriter series = series(watched, tables)) {
      write(series, 1, 2);
      assertThat(synced).isEmpty();
      assertThat(workers.step("-sync")).isTrue();
      assertThat(synced).containsExactly("000001.tbl");
      write(series, 3, 5);
      assertThat(synced)
          .as("no more than two wait")
          .containsExactly("000001.tbl", "000002.tbl", "000003.tbl");
      assertThat(series.syncFinished()).hasSize(5);
      assertThat(synced)
          .containsExactly(
              "000001.tbl", "000002.tbl", "000003.tbl", "000004.tbl", "000005.tbl", DIRECTORY);
      series.handTo(() -> {}, table -> true);
      assertThat(workers.step("-sync")).as("what is done already").isTrue();
      assertThat(workers.step("-sync")).isFalse();
      assertThat(synced).hasSize(6);
    }
  }

  /** A table that nothing names must not outlive its series: only the next opening removes it. */
  @Test
  void afterAFailedEditTablesStayOnlyWhereAVersionMayNameThem() throws IOException {
    Predicate<TableMeta> unknown =
        table -> {
          throw new OutOfMemoryError("again");
        };
    List<Predicate<TableMeta>> answers = List.of(table -> false, table -> true, unknown);
    List<Throwable> failures =
        List.of(
            new IOException("as asked"),
            new IllegalArgumentException("as asked"),
            new OutOfMemoryError("as asked"),
            new StackOverflowError("as asked"));
    for (Throwable failure : failures) {
      for (Predicate<TableMeta> mayName : answers) {
        MemDisk disk = new MemDisk();
        try (OpenTables tables = open(disk)) {
          try (RollingTableWriter series = series(disk, tables)) {
            write(series, 1, 2);
            series.syncFinished();
            assertThatThrownBy(() -> series.handTo(() -> raise(failure), mayName))
                .isSameAs(failure);
          }
          assertThat(disk.list().stream().filter(name -> name.endsWith(".tbl")))
              .as(failure + ", case " + answers.indexOf(mayName))
              .hasSize(mayName == answers.get(0) ? 0 : 2);
        }
      }
    }
  }

  private static void raise(Throwable failure) throws IOException {
    if (failure instanceof IOException io) {
      throw io;
    }
    if (failure instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) failure;
  }

  @Test
  void aSyncThatFailsInTheWorkerFailsWhoeverNeedsTheTable() throws IOException {
    ErrorDisk failing = new ErrorDisk(watched);
    try (OpenTables tables = open(failing)) {
      RollingTableWriter series = series(failing, tables);
      write(series, 1, 2);
      failing.fail(Operation.SYNC, 1, false);
      assertThat(workers.step("-sync")).isTrue();
      assertThat(failing.fired()).isTrue();
      assertThatThrownBy(series::syncFinished)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(ErrorDisk.MESSAGE);
      assertThat(synced).doesNotContain(DIRECTORY);
      series.close();
      assertThat(tables.size()).isZero();
    }
    assertThat(files.list()).noneMatch(name -> name.endsWith(".tbl"));
    assertThat(files.openFiles()).isZero();
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void aSeriesThatIsGivenUpLeavesNoFileThoughSyncsWait() throws IOException {
    try (OpenTables tables = open(watched)) {
      RollingTableWriter series = series(watched, tables);
      write(series, 1, 2);
      series.add(new byte[] {9}, 1, 9, EntryKind.PUT, new byte[0]);
      series.close();
      assertThat(tables.size()).isZero();
      while (workers.step()) {
        assertThat(files.list()).noneMatch(name -> name.endsWith(".tbl"));
      }
    }
    assertThat(files.list()).noneMatch(name -> name.endsWith(".tbl"));
    assertThat(files.openFiles()).isZero();
    assertThat(budget.usedBytes()).isZero();
  }
}
