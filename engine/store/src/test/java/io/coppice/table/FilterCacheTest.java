// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.MemoryBudget;
import io.coppice.base.MemoryBudget.Role;
import io.coppice.entry.EntryKind;
import io.coppice.io.Disk;
import io.coppice.io.MemDisk;
import io.coppice.table.filter.FilterOptions;
import io.coppice.table.filter.FilterTotals;
import io.coppice.table.filter.KeyHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which filters are in memory when there is not room for all. */
class FilterCacheTest {

  private static final FilterOptions TEN_BITS = new FilterOptions(10, 5);
  private static final int KEYS = 900;

  /** 1280 places of a byte, and 3 bytes behind. */
  private static final int FILTER_BYTES = 1283;

  private final MemDisk disk = new MemDisk();
  private final Deque<Runnable> departures = new ArrayDeque<>();
  private boolean readersStay;
  private MemoryBudget budget;
  private OpenTables tables;

  private boolean afterPresent(TableMeta table, Runnable task) {
    departures.add(task);
    if (!readersStay) {
      leave();
    }
    return true;
  }

  private void leave() {
    while (!departures.isEmpty()) {
      departures.remove().run();
    }
  }

  /** Tables 1 to {@code count}, and room for so many filters. */
  private List<Table> tables(int count, int filters, FilterOptions options) throws IOException {
    return tables(count, filters, options, 0);
  }

  private List<Table> tables(int count, int filters, FilterOptions options, long spare)
      throws IOException {
    budget = MemoryBudget.ofMebibytes(64);
    try (OpenTables all = OpenTables.open(disk, budget, TableOptions.DEFAULT, options, List.of())) {
      List<TableMeta> live = new ArrayList<>();
      for (int number = 1; number <= count; number++) {
        live.add(write(all, number));
      }
      long others = budget.usedBytes() - (long) count * FILTER_BYTES;
      // Half a filter more than asked for, so that small differences do not matter.
      budget = MemoryBudget.ofBytes(others + filters * FILTER_BYTES + FILTER_BYTES / 2 + spare);
      budget.claimForMemtables(spare);
      for (TableMeta meta : live) {
        assertThat(meta.filterSlot().shape().bytes()).isEqualTo(FILTER_BYTES);
      }
      tables = OpenTables.open(disk, budget, TableOptions.DEFAULT, options, live);
    }
    tables.evictFilters(this::afterPresent);
    List<Table> opened = new ArrayList<>();
    for (long number = 1; number <= count; number++) {
      opened.add(tables.get(number));
    }
    return opened;
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    tables.close();
    assertThat(budget.usedBytes()).isZero();
    assertThat(disk.openFiles()).isZero();
    leave();
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void theFilterThatIsUsedLeastGoesForOneOfANewTable() throws IOException {
    List<Table> opened = tables(4, 4, TEN_BITS);
    ask(opened.get(0), 9000);
    ask(opened.get(1), 2000);
    ask(opened.get(2), 7000);
    ask(opened.get(3), 8000);
    assertThat(present(opened)).containsExactly(1L, 2L, 3L, 4L);

    Table fifth = tables.get(write(tables, 5).number());
    assertThat(fifth.hasFilter()).isTrue();
    assertThat(present(opened)).doesNotContain(2L).hasSizeGreaterThanOrEqualTo(2);
    assertThat(tables.filterFigures().evictions()).isEqualTo(4 - present(opened).size());
    assertThat(tables.filterFigures().bytes()).isEqualTo(budget.usedBytes(Role.FILTER));
    assertThat(budget.usedBytes(Role.FILTER) % FILTER_BYTES).isZero();
    for (Table table : opened) {
      assertNoKeyIsDenied(table);
    }
  }

  @Test
  void aFilterThatWentIsBackWhenThereIsRoom() throws IOException {
    List<Table> opened = tables(4, 3, TEN_BITS);
    List<Long> before = present(opened);
    assertThat(before).hasSize(3);
    Table absent = opened.stream().filter(table -> !table.hasFilter()).findFirst().get();
    tables.settleFilters();
    assertThat(absent.hasFilter()).as("nobody has asked for it").isFalse();

    opened.forEach(table -> ask(table, 1000));
    tables.settleFilters();
    assertThat(absent.hasFilter()).as("it is asked for no more than others").isFalse();

    tables.retire(tables.get(before.get(0)).meta());
    tables.settleFilters();
    assertThat(absent.hasFilter()).isTrue();
    assertThat(denied(absent)).isGreaterThan(950);
    assertThat(tables.filterFigures()).isEqualTo(new FilterTotals(3 * FILTER_BYTES, 3, 0, 0, 0));
  }

  @Test
  void aFilterThatIsUsedFarMoreComesBackForOneThatIsNot() throws IOException {
    List<Table> opened = tables(4, 3, TEN_BITS);
    Table absent = opened.stream().filter(table -> !table.hasFilter()).findFirst().get();
    opened.forEach(table -> ask(table, table == absent ? 40_000 : 10_000));
    Table coldest = opened.stream().filter(Table::hasFilter).findFirst().get();
    opened.forEach(table -> ask(table, table == coldest ? 0 : 5000));
    // One step lets a filter go, the next brings the other.
    tables.settleFilters();
    tables.settleFilters();
    assertThat(absent.hasFilter()).isTrue();
    assertThat(coldest.hasFilter()).isFalse();
    assertThat(tables.filterFigures()).isEqualTo(new FilterTotals(3 * FILTER_BYTES, 3, 1, 1, 0));
  }

  @Test
  void memoryIsGivenBackOnceReadersHaveGoneAndNotBefore() throws IOException {
    List<Table> opened = tables(3, 3, TEN_BITS);
    readersStay = true;
    Table fourth = tables.get(write(tables, 4).number());
    assertThat(fourth.hasFilter()).isFalse();
    assertThat(present(opened)).hasSizeLessThan(3);
    assertThat(budget.usedBytes(Role.FILTER)).isEqualTo(3 * FILTER_BYTES);
    assertThat(tables.filterFigures().bytes()).isEqualTo(3 * FILTER_BYTES);

    int left = present(opened).size();
    tables.settleFilters();
    assertThat(present(opened)).as("no more go for the same one").hasSize(left);
    leave();
    tables.settleFilters();
    assertThat(fourth.hasFilter()).isTrue();
    assertThat(denied(fourth)).isGreaterThan(950);
  }

  @Test
  void aTableThatIsRetiredTakesAlongAFilterThatWaitsForReaders() throws IOException {
    List<Table> opened = tables(3, 3, TEN_BITS);
    readersStay = true;
    write(tables, 4);
    Table gone = opened.stream().filter(table -> !table.hasFilter()).findFirst().get();
    long held = budget.usedBytes(Role.FILTER);
    tables.retire(gone.meta());
    assertThat(budget.usedBytes(Role.FILTER)).isEqualTo(held - FILTER_BYTES);
    leave();
    assertThat(budget.usedBytes(Role.FILTER)).isLessThanOrEqualTo(held - FILTER_BYTES);
  }

  @Test
  void aFilterMayGoTwiceBeforeReadersOfTheFirstTimeHaveGone() throws IOException {
    List<Table> opened = tables(3, 3, TEN_BITS);
    readersStay = true;
    write(tables, 4);
    Table first = opened.stream().filter(table -> !table.hasFilter()).findFirst().get();
    Table other = opened.stream().filter(Table::hasFilter).findFirst().get();
    tables.retire(tables.get(4).meta());
    ask(first, 5000);
    tables.retire(other.meta());
    tables.settleFilters();
    assertThat(first.hasFilter()).isTrue();
    assertThat(departures).hasSize(1);
    opened.stream().filter(table -> table != other && table != first).forEach(t -> ask(t, 9000));
    write(tables, 5);
    write(tables, 6);
    assertThat(first.hasFilter()).isFalse();
    assertThat(departures).hasSizeGreaterThan(1);
    long held = budget.usedBytes(Role.FILTER);
    departures.remove().run();
    assertThat(budget.usedBytes(Role.FILTER)).isEqualTo(held - FILTER_BYTES);
  }

  @Test
  void filtersLeaveTheirRoomToMemtables() throws IOException {
    int spare = 3 * FILTER_BYTES;
    List<Table> opened = tables(3, 2, TEN_BITS, spare);
    assertThat(present(opened)).hasSize(2);
    assertThat(budget.tryReserve(Role.MEMTABLE, spare)).isTrue();
    opened.forEach(table -> ask(table, 1000));
    tables.settleFilters();
    assertThat(present(opened)).hasSize(2);
    budget.release(Role.MEMTABLE, spare);
  }

  @Test
  void aSlotThatIsDamagedLaterIsDoneWithout() throws IOException {
    List<Table> opened = tables(2, 1, TEN_BITS);
    Table absent = opened.stream().filter(table -> !table.hasFilter()).findFirst().get();
    Table other = opened.stream().filter(Table::hasFilter).findFirst().get();
    try (Disk.SlotFile slots = disk.openSlots("filters.slots")) {
      slots.write(128, new byte[4096], 0, 4096);
    }
    ask(absent, 1000);
    tables.retire(other.meta());
    tables.settleFilters();
    assertThat(absent.hasFilter()).isFalse();
    assertNoKeyIsDenied(absent);
  }

  private static List<Long> present(List<Table> opened) {
    return opened.stream().filter(Table::hasFilter).map(table -> table.meta().number()).toList();
  }

  /** Asks for absent keys. */
  private static void ask(Table table, int times) {
    for (int i = 0; i < times; i++) {
      byte[] key = name(1_000_000 + i);
      table.mayContain(KeyHash.of(key, 0, key.length));
    }
  }

  private static int denied(Table table) {
    int denied = 0;
    for (int i = 0; i < 1000; i++) {
      byte[] key = name(100_000 + i);
      denied += table.mayContain(KeyHash.of(key, 0, key.length)) ? 0 : 1;
    }
    return denied;
  }

  private static void assertNoKeyIsDenied(Table table) {
    for (int i = 0; i < KEYS; i++) {
      byte[] key = name(i);
      assertThat(table.mayContain(KeyHash.of(key, 0, key.length))).isTrue();
    }
  }

  private static TableMeta write(OpenTables to, long number) throws IOException {
    List<byte[]> sorted = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      sorted.add(name(i));
    }
    sorted.sort(java.util.Arrays::compareUnsigned);
    TableWriter writer = to.create(number);
    for (byte[] key : sorted) {
      writer.add(key, 0, key.length, 1, EntryKind.PUT, key, 0, 0);
    }
    return FinishedTable.of(to, writer);
  }

  private static byte[] name(int n) {
    return ("key" + n).getBytes(StandardCharsets.US_ASCII);
  }
}
