// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.coppice.base.MemoryBudget;
import io.coppice.base.MemoryBudget.Role;
import io.coppice.base.bytes.Coding;
import io.coppice.entry.EntryKind;
import io.coppice.io.ErrorDisk;
import io.coppice.io.ErrorDisk.Operation;
import io.coppice.io.MemDisk;
import io.coppice.table.FinishedTable;
import io.coppice.table.LookupKeys;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.table.TableLookup;
import io.coppice.table.TableMeta;
import io.coppice.table.TableOptions;
import io.coppice.table.TableWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Filters and their slots. {@code -Dseed=…} repeats a failure. */
class BinaryFuseFilterTest {

  private static final long SEED = Long.getLong("seed", 20261120L);
  private static final String SLOTS = "filters.slots";
  private static final FilterOptions TEN_BITS = new FilterOptions(10, 5);

  private final MemDisk disk = new MemDisk();
  private final MemoryBudget budget = MemoryBudget.ofMebibytes(64);

  /** The n-th key of a family of keys. */
  private interface Keys {
    byte[] key(int n);
  }

  @Test
  void atTenBitsOneInTwoHundredAbsentKeysPasses() throws IOException {
    Random random = new Random(SEED);
    long spread = random.nextLong() | 1;
    // 4 MiB of entries of 100 bytes.
    int count = (4 << 20) / 100;
    FilterOptions options = new FilterOptions(10, SEED);
    List<Keys> families =
        List.of(
            n -> ("user" + (100_000_000L + n)).getBytes(StandardCharsets.US_ASCII),
            n -> fixed(Long.reverseBytes(n)),
            n -> fixed(n * spread));
    for (Keys keys : families) {
      MemDisk fresh = new MemDisk();
      try (OpenTables tables =
          OpenTables.open(fresh, budget, TableOptions.DEFAULT, options, List.of())) {
        TableMeta meta = write(tables, 1, keys, count);
        Table table = tables.get(meta.number());
        assertThat(table.hasFilter()).isTrue();
        assertThat(budget.usedBytes(Role.FILTER)).isLessThanOrEqualTo(count * 10L / 8);
        int passed = 0;
        int asked = 500_000;
        for (int i = 0; i < asked; i++) {
          byte[] absent = keys.key(count + i);
          passed += table.mayContain(KeyHash.of(absent, 0, absent.length)) ? 1 : 0;
        }
        assertThat((double) passed / asked).as("seed " + SEED).isBetween(0.0035, 0.0045);
      }
    }
  }

  @Test
  void noKeyOfATableIsDenied() throws IOException {
    for (int bits = FilterOptions.MIN_BITS; bits <= FilterOptions.MAX_BITS; bits++) {
      MemDisk fresh = new MemDisk();
      try (OpenTables tables =
          OpenTables.open(
              fresh, budget, TableOptions.DEFAULT, new FilterOptions(bits, 9), List.of())) {
        Table table = tables.get(write(tables, 1, BinaryFuseFilterTest::name, 1000).number());
        assertAllMayBeThere(table, 1000);
      }
    }
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void filtersAreBackAfterReopeningWithoutReadingTables() throws IOException {
    List<TableMeta> live = writeThree();
    ErrorDisk counting = new ErrorDisk(disk);
    try (OpenTables tables = open(counting, TEN_BITS, live)) {
      for (TableMeta meta : live) {
        assertThat(tables.get(meta.number()).hasFilter()).isTrue();
        assertAllMayBeThere(tables.get(meta.number()), 900);
        assertThat(deniedOf(tables.get(meta.number()))).isGreaterThan(950);
      }
      // 1280 places of a byte, and 3 bytes behind.
      assertThat(budget.usedBytes(Role.FILTER)).isEqualTo(3 * 1283);
    }
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void aDamagedSlotIsMadeAnewFromItsTable() throws IOException {
    List<TableMeta> live = writeThree();
    byte[] whole = disk.bytes(SLOTS);
    for (int at = 0; at < whole.length; at += 7) {
      byte[] flipped = whole.clone();
      flipped[at] ^= 0x20;
      disk.setBytes(SLOTS, flipped);
      try (OpenTables tables = open(disk, TEN_BITS, live)) {
        for (TableMeta meta : live) {
          assertThat(tables.get(meta.number()).hasFilter()).isTrue();
          assertAllMayBeThere(tables.get(meta.number()), 900);
        }
      }
      // Zeros between header and first unit are nobody's, nor is the rest of a slot's last unit.
      boolean used =
          at < FilterLayout.FIRST_UNIT
              ? at < FilterLayout.HEADER_OFFSET + FilterLayout.HEADER_BYTES
              : (at - FilterLayout.FIRST_UNIT) % (3 * FilterLayout.UNIT_BYTES) < 64 + 1283;
      if (used) {
        assertThat(Arrays.equals(disk.bytes(SLOTS), whole)).as("byte " + at).isTrue();
      }
    }
  }

  @Test
  void aLostFileIsMadeAnew() throws IOException {
    List<TableMeta> live = writeThree();
    byte[] whole = disk.bytes(SLOTS);
    disk.delete(SLOTS);
    try (OpenTables tables = open(disk, TEN_BITS, live)) {
      assertThat(deniedOf(tables.get(1))).isGreaterThan(950);
    }
    assertThat(disk.bytes(SLOTS)).isEqualTo(whole);
  }

  @Test
  void aSlotOfAnEarlierTableOfTheSameNumberIsNotTrusted() throws IOException {
    List<TableMeta> live = writeThree();
    byte[] stale = disk.bytes(SLOTS);
    disk.delete("000002.tbl");
    TableMeta again;
    try (OpenTables tables = open(disk, TEN_BITS, List.of(live.get(0), live.get(2)))) {
      again = write(tables, 2, n -> name(n + 5000), 900);
    }
    assertThat(again.filterSlot()).isEqualTo(live.get(1).filterSlot());
    // As if the power had failed before the slot reached the disk.
    disk.setBytes(SLOTS, stale);
    try (OpenTables tables = open(disk, TEN_BITS, List.of(live.get(0), again, live.get(2)))) {
      Table table = tables.get(2);
      for (int i = 0; i < 900; i++) {
        byte[] key = name(5000 + i);
        assertThat(table.mayContain(KeyHash.of(key, 0, key.length))).isTrue();
      }
    }
  }

  @Test
  void aFileOfOtherOptionsIsUsedOrMadeAnew() throws IOException {
    List<TableMeta> live = writeThree();
    for (FilterOptions other :
        List.of(new FilterOptions(10, 6), new FilterOptions(16, 5), new FilterOptions(6, 5))) {
      try (OpenTables tables = open(disk, other, live)) {
        assertAllMayBeThere(tables.get(2), 900);
        assertThat(deniedOf(tables.get(2))).isGreaterThan(950);
      }
    }
  }

  @Test
  void withoutFiltersEveryKeyMayBeThere() throws IOException {
    try (OpenTables tables = open(disk, FilterOptions.OFF, List.of())) {
      TableMeta meta = write(tables, 1, BinaryFuseFilterTest::name, 10);
      assertThat(meta.filterSlot()).isEqualTo(TableMeta.NO_FILTER);
      assertThat(deniedOf(tables.get(1))).isZero();
      assertThat(disk.list()).doesNotContain(SLOTS);
    }
    try (OpenTables tables = open(disk, TEN_BITS, List.of(metaOf(1)))) {
      assertThat(tables.get(1).hasFilter()).isFalse();
    }
  }

  @Test
  void aFullLedgerCostsFiltersNotTables() throws IOException {
    List<TableMeta> live = writeThree();
    MemoryBudget small = MemoryBudget.ofBytes(2000);
    try (OpenTables tables = OpenTables.open(disk, small, TableOptions.DEFAULT, TEN_BITS, live)) {
      TableLookup lookup = new TableLookup();
      for (TableMeta meta : live) {
        byte[] key = name(17);
        assertThat(tables.get(meta.number()).get(lookup, LookupKeys.of(key, 100))).isTrue();
      }
      assertThat(live).anyMatch(meta -> !tables.get(meta.number()).hasFilter());
    }
    assertThat(small.usedBytes()).isZero();
  }

  @Test
  void aSlotIsUsedAgainOnceItsTableIsRetired() throws IOException {
    List<TableMeta> live = writeThree();
    try (OpenTables tables = open(disk, TEN_BITS, live)) {
      // 64 + 1283 bytes are three units of 512.
      assertThat(live).extracting(meta -> meta.filterSlot().unit()).containsExactly(0, 3, 6);
      assertThat(write(tables, 4, BinaryFuseFilterTest::name, 10).filterSlot().unit()).isEqualTo(9);
      tables.retire(live.get(1));
      assertThat(disk.list()).doesNotContain("000002.tbl");
      assertThat(write(tables, 5, BinaryFuseFilterTest::name, 900).filterSlot().unit())
          .isEqualTo(3);
      tables.retire(live.get(2));
      // Smaller ones share what it left; what is too large goes behind all others.
      assertThat(write(tables, 6, BinaryFuseFilterTest::name, 10).filterSlot().unit()).isEqualTo(6);
      assertThat(write(tables, 7, BinaryFuseFilterTest::name, 900).filterSlot().unit())
          .isEqualTo(10);
      assertThat(write(tables, 8, BinaryFuseFilterTest::name, 10).filterSlot().unit()).isEqualTo(7);
    }
  }

  @Test
  void anyUnitThatAManifestNamesTakesLittleMemoryAndNoneIsWithoutANumber() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(thread);
    FilterUnits units = new FilterUnits();
    FilterSlot last = new FilterSlot(FilterSlot.MAX_UNIT, 16, FilterGeometry.MAX_KEYS);
    units.claim(last.unit(), FilterLayout.units(last.shape()));
    assertThat(threads.getThreadAllocatedBytes(thread) - before).isLessThan(16 << 20);
    assertThat(units.allocate(7)).isZero();
    assertThat(units.allocate(1)).isEqualTo(7);
    assertThatThrownBy(() -> new FilterSlot(FilterSlot.MAX_UNIT + 1, 8, 10))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unit " + (FilterSlot.MAX_UNIT + 1));
  }

  @Test
  void aFailedSyncOfSlotsCostsOnlyTheFilters() throws IOException {
    ErrorDisk failing = new ErrorDisk(disk);
    OpenTables tables = open(failing, TEN_BITS, List.of());
    TableMeta meta = write(tables, 1, BinaryFuseFilterTest::name, 900);
    failing.fail(Operation.SYNC, 1, false);
    tables.close();
    assertThat(budget.usedBytes()).isZero();
    assertThat(disk.openFiles()).isZero();

    MemDisk after = disk.crash(new Random(SEED));
    after.setBytes("000001.tbl", disk.bytes("000001.tbl"));
    try (OpenTables reopened = open(after, TEN_BITS, List.of(meta))) {
      assertAllMayBeThere(reopened.get(1), 900);
      assertThat(reopened.get(1).hasFilter()).isTrue();
    }
  }

  /** Persisted in filters and tables; computed by an independent program. */
  @Test
  void theHashNeverChanges() {
    long[] expected = {
      0x5687DFA696931310L,
      0xB6F902707EC24A2FL,
      0x15EF404F592F240EL,
      0x23ED2568006EF612L,
      0x3B38B17525F57FEEL,
      0xCBCCE396090DBD5BL,
      0x91FB995C70F4D20FL,
      0xFCE8C254E8340177L,
      0xCB66B3F07C6093DBL,
      0xE6BC225719882D9AL,
      0xACCDFA213A4B135DL,
      0x2EDBF8F2247E7972L,
      0x1D33916AE4C84BC4L,
      0x22F67AEFE4A9C345L,
      0x3A918D3173BB2535L,
      0x6D8DB3644208AE63L,
      0x02B560D18C9903C4L,
      0xB14D45ABE196AD3AL
    };
    List<Long> found = new ArrayList<>();
    for (int length = 0; length <= 17; length++) {
      byte[] key = new byte[length + 2];
      for (int i = 0; i < key.length; i++) {
        key[i] = (byte) (i * 37 + 200);
      }
      found.add(KeyHash.of(key, 1, length));
    }
    assertThat(found.stream().mapToLong(Long::longValue).toArray()).isEqualTo(expected);
  }

  private List<TableMeta> writeThree() throws IOException {
    List<TableMeta> live = new ArrayList<>();
    try (OpenTables tables = open(disk, TEN_BITS, List.of())) {
      for (int number = 1; number <= 3; number++) {
        live.add(write(tables, number, BinaryFuseFilterTest::name, 900));
      }
    }
    return live;
  }

  private OpenTables open(io.coppice.io.Disk on, FilterOptions options, List<TableMeta> live)
      throws IOException {
    return OpenTables.open(on, budget, TableOptions.DEFAULT, options, live);
  }

  private TableMeta metaOf(long number) throws IOException {
    byte[] low = name(0);
    byte[] high = name(9);
    return new TableMeta(
        number, disk.bytes("000001.tbl").length, 10, 0, 0, low, high, 1, 1, TableMeta.NO_FILTER);
  }

  /** A table with the keys 0 to count - 1, sorted, two versions of every tenth. */
  private static TableMeta write(OpenTables tables, long number, Keys keys, int count)
      throws IOException {
    List<byte[]> sorted = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sorted.add(keys.key(i));
    }
    sorted.sort(Arrays::compareUnsigned);
    TableWriter writer = tables.create(number);
    for (int i = 0; i < count; i++) {
      byte[] key = sorted.get(i);
      if (i % 10 == 0 && count > 10) {
        writer.add(key, 0, key.length, 2, EntryKind.DELETE, key, 0, 0);
      }
      writer.add(key, 0, key.length, 1, EntryKind.PUT, key, 0, key.length);
    }
    return FinishedTable.of(tables, writer);
  }

  private static void assertAllMayBeThere(Table table, int count) {
    for (int i = 0; i < count; i++) {
      byte[] key = name(i);
      assertThat(table.mayContain(KeyHash.of(key, 0, key.length))).isTrue();
    }
  }

  /** Of 1000 absent keys, how many the filter denies. */
  private static int deniedOf(Table table) {
    int denied = 0;
    for (int i = 0; i < 1000; i++) {
      byte[] key = name(100_000 + i);
      denied += table.mayContain(KeyHash.of(key, 0, key.length)) ? 0 : 1;
    }
    return denied;
  }

  private static byte[] name(int n) {
    return ("key" + n).getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] fixed(long value) {
    byte[] key = new byte[Long.BYTES];
    Coding.putFixed64(key, 0, value);
    return key;
  }
}
