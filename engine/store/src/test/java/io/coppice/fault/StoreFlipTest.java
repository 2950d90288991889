// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.CorruptionException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.bytes.Coding;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.io.Disk;
import io.coppice.io.ErrorDisk;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.TapDisk;
import io.coppice.io.TornTail;
import io.coppice.io.disk.DiskSpaceReserve;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.ManifestReader;
import io.coppice.table.LookupKeys;
import io.coppice.table.OpenTables;
import io.coppice.table.Table;
import io.coppice.table.TableLookup;
import io.coppice.table.TableMeta;
import io.coppice.table.TableOptions;
import io.coppice.table.filter.FilterOptions;
import io.coppice.testing.LongRun;
import io.coppice.testing.Seeds;
import io.coppice.wal.WalReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Flips bits of every file of a store of a megabyte that was killed in the middle of a merge. Each
 * flip is reported with file and offset, by opening or by the reads that meet it, or it does no
 * harm: no answer is ever wrong. {@code -Dflips=N} is how many bits are flipped, others with {@code
 * -Dseed=N}; {@code -Plong} flips every one.
 */
class StoreFlipTest {

  private static final int FLIPS = Integer.getInteger("flips", 10_000);

  /** So many of the sampled bits lie in files other than tables. */
  private static final double SHARE_BESIDE_TABLES = 0.05;

  /** The least number of flips in a file. */
  private static final int MIN_FLIPS = 20;

  /**
   * One in so many flips is met by a whole store, whatever its part of the store says; the others
   * by the part of the store that reads this kind of file.
   */
  private static final int STORE_SHARE = FLIPS == Integer.MAX_VALUE ? 2_000 : 100;

  private static final int SECONDS_OF_PATIENCE = 300;

  private static final long TABLE_BYTES = 16 << 10;

  private static final String MERGING =
      "leveled,fanout=4,l0_trigger=4,table_size=16KiB,cleaning_threshold=1";

  /** Merges nothing by itself, so that opening is quick. */
  private static final String QUIET = "leveled,fanout=32,l0_trigger=64,table_size=16KiB";

  private static final NavigableMap<String, String> MODEL = new TreeMap<>();
  private static MemDisk disk;

  /** Flips so far; a watch looks whether there are ever more. */
  private static volatile long done;

  private static Thread watch;
  private static final Map<Long, TableMeta> TABLES = new TreeMap<>();

  /** An entry of a table. */
  private record Entry(byte[] key, long sequence, EntryKind kind, byte[] value) {

    static Entry of(EntryCursor cursor) {
      int key = cursor.keyOffset();
      int value = cursor.valueOffset();
      return new Entry(
          Arrays.copyOfRange(cursor.keyArray(), key, key + cursor.keyLength()),
          cursor.sequence(),
          cursor.kind(),
          Arrays.copyOfRange(cursor.valueArray(), value, value + cursor.valueLength()));
    }

    boolean isAt(EntryCursor cursor) {
      return sequence == cursor.sequence()
          && kind == cursor.kind()
          && same(key, cursor.keyArray(), cursor.keyOffset(), cursor.keyLength())
          && same(value, cursor.valueArray(), cursor.valueOffset(), cursor.valueLength());
    }

    private static boolean same(byte[] bytes, byte[] other, int from, int length) {
      return Arrays.equals(bytes, 0, bytes.length, other, from, from + length);
    }
  }

  @BeforeAll
  static void makeStore() throws IOException {
    MemDisk memory = new MemDisk();
    List<MemDisk> states = new ArrayList<>();
    boolean[] merging = {false};
    int[] operations = {0};
    Runnable tap =
        () -> {
          if (merging[0]
              && Thread.currentThread().getName().endsWith("-merge-0")
              && operations[0]++ % 40 == 0) {
            states.add(memory.kill());
          }
        };
    Random random = new Random(11);
    try (Store store = TestStores.open(new TapDisk(memory, tap), options(MERGING))) {
      for (int i = 0; i < 12_600; i++) {
        write(store, random, Durability.NONE);
        if (i % 2_100 == 2_099) {
          store.flush();
          store.awaitIdle();
        }
      }
      for (int i = 0; i < 300; i++) {
        write(store, random, i % 10 == 0 ? Durability.SYNC : Durability.BUFFERED);
      }
      store.sync();
      merging[0] = true;
      // It flushes first, which the states in the middle of the merge are behind.
      store.compact();
      merging[0] = false;
      for (int i = 0; i < 300; i++) {
        write(store, random, i % 10 == 0 ? Durability.SYNC : Durability.BUFFERED);
      }
      disk = states.get(states.size() / 2);
      MemDisk last = memory.kill();
      for (String name : last.list()) {
        if (FileKind.WAL.numberOf(name).isPresent()) {
          disk.setBytes(name, last.bytes(name));
        }
      }
    }
    try (Manifest manifest = Manifest.open(disk.kill())) {
      manifest.family().current().tables().forEach(table -> TABLES.put(table.number(), table));
      assertThat(
              manifest.family().current().slices().stream().anyMatch(slice -> slice.lowExclusive()))
          .as("a merge is half done")
          .isTrue();
    }
    try (Store store = TestStores.open(disk.kill(), options(QUIET))) {
      assertThat(scan(store, KeyRange.all())).isEqualTo(MODEL);
    }
  }

  /** Ends the process if a flip makes something run for ever. */
  @BeforeAll
  static void watch() {
    watch =
        new Thread(
            () -> {
              long before = -1;
              while (done != before) {
                before = done;
                // Not by parking, which may end before its time.
                try {
                  TimeUnit.SECONDS.sleep(SECONDS_OF_PATIENCE);
                } catch (InterruptedException e) {
                  return;
                }
              }
              Thread.getAllStackTraces()
                  .forEach((each, stack) -> System.err.println(each + " " + List.of(stack)));
              System.err.println("flip " + done + " hangs");
              Runtime.getRuntime().halt(1);
            },
            "watch");
    watch.setDaemon(true);
    watch.start();
  }

  @AfterAll
  static void endWatch() {
    watch.interrupt();
  }

  private static StoreOptions options(String policy) {
    return options(policy, false);
  }

  private static StoreOptions options(String policy, boolean cold) {
    return TestStores.warmBytes(StoreOptions.builder(), cold ? 0 : OpenTables.WARM_BYTES)
        .policy(policy)
        .memory(MemoryBudget.ofMebibytes(16))
        .memtableBytes(1 << 20)
        .build();
  }

  private static void write(Store store, Random random, Durability durability) {
    String key = String.format("key%05d", random.nextInt(14_000));
    if (random.nextInt(6) == 0) {
      store.write(new WriteBatch().delete(bytes(key)), durability);
      MODEL.remove(key);
    } else {
      String value = Long.toString(random.nextLong(), 36).repeat(1 + random.nextInt(18));
      store.write(new WriteBatch().put(bytes(key), bytes(value)), durability);
      MODEL.put(key, value);
    }
  }

  @Test
  void everyFlipIsReportedOrHarmless() throws IOException {
    long seed = Seeds.seed(1);
    long inTables = 0;
    long besides = 0;
    Map<String, List<String>> byKind = new TreeMap<>();
    for (String name : disk.list()) {
      long bits = 8L * disk.bytes(name).length;
      inTables += isTable(name) ? bits : 0;
      besides += isTable(name) || isReserve(name) ? 0 : bits;
      byKind.computeIfAbsent(name.replaceAll("[0-9]+\\.", ""), x -> new ArrayList<>()).add(name);
    }
    assertThat(inTables + besides).as("bits of the store").isGreaterThan(8_000_000);
    long flips = 0;
    for (Map.Entry<String, List<String>> kind : byKind.entrySet()) {
      LongRun run = new LongRun(getClass(), seed);
      long chosen = 0;
      long reported = 0;
      for (String name : kind.getValue()) {
        long all = 8L * disk.bytes(name).length;
        double share =
            isTable(name)
                ? (1 - SHARE_BESIDE_TABLES) * all / inTables
                : isReserve(name) ? 0 : SHARE_BESIDE_TABLES * all / besides;
        long count =
            FLIPS == Integer.MAX_VALUE ? all : Math.min(all, MIN_FLIPS + (long) (share * FLIPS));
        reported += flips(name, all, count, Seeds.random(seed, name.hashCode()));
        chosen += count;
      }
      flips += chosen;
      run.passed(kind.getKey(), Map.of("flips", chosen, "reported", reported, "wrong", 0L));
    }
    assertThat(flips).isGreaterThanOrEqualTo(Math.min(FLIPS, inTables + besides));
  }

  private static boolean isTable(String name) {
    return FileKind.TABLE.numberOf(name).isPresent();
  }

  /** Nobody reads the reserve, so few of its bits are tried. */
  private static boolean isReserve(String name) {
    return FileKind.RESERVE.numberOf(name).isPresent();
  }

  /** Flips bits of one file; returns how many flips were reported. */
  private static long flips(String name, long all, long chosen, Random random) throws IOException {
    Reading reading = reading(name, random);
    long number = FileKind.TABLE.numberOf(name).orElse(-1);
    byte[] flipped = disk.bytes(name);
    long reported = 0;
    for (long i = 0; i < chosen; i++) {
      long bit = chosen == all ? i : (long) (random.nextDouble() * all);
      done++;
      flipped[(int) (bit / 8)] ^= (byte) (1 << bit % 8);
      try {
        boolean alone = i % STORE_SHARE != 0;
        boolean found = alone && reading.reports(flipped, (int) (bit / 8));
        if (alone && reading.isProof()) {
          assertThat(found || !TABLES.containsKey(number))
              .as("a flip in a table is noticed")
              .isTrue();
        } else if (!found) {
          found = isReportedByStore(name, flipped, i % 500 == 0);
        }
        reported += found ? 1 : 0;
      } catch (IOException | RuntimeException | AssertionError e) {
        throw new AssertionError(
            "bit " + bit % 8 + " of byte " + bit / 8 + " of " + name + " (" + flipped.length + ")",
            e);
      }
      flipped[(int) (bit / 8)] ^= (byte) (1 << bit % 8);
    }
    return reported;
  }

  /** Reads one kind of file as a store does. */
  private interface Reading {
    /** True if the damage is reported. Fails if an answer is wrong. */
    boolean reports(byte[] flipped, int at) throws IOException;

    /** True if what it does not report does no harm; else a whole store has to tell. */
    default boolean isProof() {
      return false;
    }
  }

  /** Says nothing, so that a whole store tells. */
  private static Reading nothing() {
    return (flipped, at) -> false;
  }

  private static Reading reading(String name, Random random) throws IOException {
    long table = FileKind.TABLE.numberOf(name).orElse(-1);
    if (TABLES.containsKey(table)) {
      return new TableReading(TABLES.get(table), entries(table), random);
    }
    if (table >= 0) {
      return new UnreadFile(name);
    }
    if (FileKind.WAL.numberOf(name).isPresent()) {
      return new LogReading(name);
    }
    if (FileKind.MANIFEST.numberOf(name).isPresent()) {
      return new ManifestReading(name);
    }
    if (FileKind.FILTERS.numberOf(name).isPresent()) {
      return new FilterReading();
    }
    return isReserve(name) ? new ReserveReading(name) : nothing();
  }

  /** A table, read whole and by some keys. */
  private record TableReading(TableMeta meta, List<Entry> entries, Random random)
      implements Reading {
    @Override
    public boolean reports(byte[] flipped, int at) throws IOException {
      MemDisk alone = new MemDisk();
      alone.setBytes(FileKind.TABLE.fileName(meta.number()), flipped);
      return isReportedByTable(alone, meta, entries, random);
    }

    @Override
    public boolean isProof() {
      return true;
    }
  }

  /** A table that nothing names. No store opens it, so its bytes cannot matter. */
  private record UnreadFile(String name) implements Reading {
    UnreadFile {
      ErrorDisk refusing = new ErrorDisk(disk.kill());
      refusing.fail(ErrorDisk.Operation.OPEN, name::equals, 1, true);
      assertThat(readsAll(refusing)).isTrue();
      assertThat(refusing.fired()).isFalse();
      refusing = new ErrorDisk(disk.kill());
      refusing.fail(ErrorDisk.Operation.MAP, name::equals, 1, true);
      assertThat(readsAll(refusing)).isTrue();
      assertThat(refusing.fired()).isFalse();
    }

    private static boolean readsAll(Disk disk) {
      try (Store store = TestStores.open(disk, options(QUIET))) {
        return scan(store, KeyRange.all()).equals(MODEL);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public boolean reports(byte[] flipped, int at) {
      return false;
    }

    @Override
    public boolean isProof() {
      return true;
    }
  }

  /** A log, as recovery reads it before it does anything else with it. */
  private static final class LogReading implements Reading {
    private final MemDisk alone = new MemDisk();
    private final String name;
    private final long number;
    private final TornTail tornTail;

    LogReading(String name) {
      this.name = name;
      number = FileKind.WAL.numberOf(name).orElseThrow();
      long newest =
          disk.list().stream()
              .mapToLong(other -> FileKind.WAL.numberOf(other).orElse(-1))
              .max()
              .orElseThrow();
      tornTail = number == newest ? TornTail.DROP : TornTail.REFUSE;
    }

    @Override
    public boolean reports(byte[] flipped, int at) throws IOException {
      alone.setBytes(name, flipped);
      try (WalReader groups = WalReader.open(alone, number, tornTail)) {
        while (groups.next()) {
          assertThat(groups.count()).isPositive();
        }
        return false;
      } catch (CorruptionException e) {
        assertThat(e.file()).isEqualTo(name);
        return true;
      }
    }
  }

  /** The manifest. */
  private static final class ManifestReading implements Reading {
    private final MemDisk alone = new MemDisk();
    private final String name;

    ManifestReading(String name) throws IOException {
      this.name = name;
      alone.setBytes("CURRENT", disk.bytes("CURRENT"));
    }

    @Override
    public boolean reports(byte[] flipped, int at) throws IOException {
      alone.setBytes(name, flipped);
      try {
        ManifestReader.read(alone);
        return false;
      } catch (CorruptionException e) {
        assertThat(e.file()).isEqualTo(name);
        return true;
      }
    }
  }

  /** The filters: whatever is flipped, every key of the tables concerned is found. */
  private static final class FilterReading implements Reading {
    private static final int FIRST_UNIT = 128;
    private static final int UNIT_BYTES_OFFSET = 48;

    private final MemDisk damaged = disk.kill();
    private final Map<Long, List<Entry>> entries = new TreeMap<>();
    private final int unitBytes;

    FilterReading() throws IOException {
      unitBytes = Coding.fixed32(disk.bytes(FileKind.FILTERS.fileName(0)), UNIT_BYTES_OFFSET);
      for (long table : TABLES.keySet()) {
        entries.put(table, StoreFlipTest.entries(table));
      }
    }

    @Override
    public boolean reports(byte[] flipped, int at) throws IOException {
      damaged.setBytes(FileKind.FILTERS.fileName(0), flipped);
      int unit = at < FIRST_UNIT ? -1 : (at - FIRST_UNIT) / unitBytes;
      List<TableMeta> concerned =
          unit < 0
              ? List.copyOf(TABLES.values())
              : TABLES.values().stream()
                  .filter(table -> table.filterSlot().unit() <= unit)
                  .max(Comparator.comparingInt(table -> table.filterSlot().unit()))
                  .stream()
                  .toList();
      TableLookup lookup = new TableLookup();
      try (OpenTables tables =
          OpenTables.open(
              damaged.reopen(),
              MemoryBudget.ofMebibytes(1),
              TableOptions.DEFAULT,
              TestStores.filters(options(QUIET)),
              concerned)) {
        assertThat(tables.damaged()).isEmpty();
        for (TableMeta meta : concerned) {
          Table table = tables.get(meta.number());
          for (Entry entry : entries.get(meta.number())) {
            byte[] key = entry.key;
            if (!table.get(lookup, LookupKeys.of(key, entry.sequence))
                || lookup.sequence() != entry.sequence) {
              throw new AssertionError("a key is missing in " + meta);
            }
          }
        }
      }
      return false;
    }

    @Override
    public boolean isProof() {
      return true;
    }
  }

  private static List<Entry> entries(long number) throws IOException {
    List<Entry> entries = new ArrayList<>();
    try (OpenTables tables = openTables(disk, TABLES.get(number));
        EntryCursor cursor = tables.get(number).cursor()) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        entries.add(Entry.of(cursor));
      }
    }
    return entries;
  }

  private static OpenTables openTables(MemDisk disk, TableMeta meta) throws IOException {
    return OpenTables.open(
        disk.reopen(),
        MemoryBudget.ofMebibytes(1),
        TableOptions.DEFAULT,
        FilterOptions.OFF,
        List.of(meta));
  }

  /** The reserve, of which only the length counts. */
  private record ReserveReading(String name) implements Reading {
    @Override
    public boolean reports(byte[] flipped, int at) throws IOException {
      MemDisk alone = new MemDisk();
      alone.setBytes(name, flipped);
      DiskSpaceReserve reserve = DiskSpaceReserve.open(alone, () -> flipped.length);
      assertThat(reserve.ensure() && reserve.release()).isTrue();
      assertThat(alone.list()).isEmpty();
      return false;
    }

    @Override
    public boolean isProof() {
      return true;
    }
  }

  /** Reads a damaged table by itself: whole, and by some keys. */
  private static boolean isReportedByTable(
      MemDisk alone, TableMeta meta, List<Entry> entries, Random random) throws IOException {
    String name = FileKind.TABLE.fileName(meta.number());
    boolean reported = false;
    try (OpenTables tables = openTables(alone, meta)) {
      int place = 0;
      Table table;
      try {
        table = tables.get(meta.number());
        try (EntryCursor cursor = table.cursor()) {
          for (cursor.first(); cursor.valid(); cursor.next()) {
            if (!entries.get(place++).isAt(cursor)) {
              throw new AssertionError("entry " + (place - 1) + " is wrong");
            }
          }
          assertThat(place).isEqualTo(entries.size());
        }
      } catch (CorruptionException e) {
        reported = true;
        assertThat(e.file()).isEqualTo(name);
        if (place == 0) {
          return true;
        }
        table = tables.get(meta.number());
      }
      TableLookup lookup = new TableLookup();
      for (int i = 0; i < 4; i++) {
        Entry sought =
            entries.get(
                i == 0 ? Math.min(place, entries.size() - 1) : random.nextInt(entries.size()));
        byte[] key = sought.key;
        try {
          assertThat(table.get(lookup, LookupKeys.of(key, sought.sequence))).isTrue();
          assertThat(lookup.kind()).isEqualTo(sought.kind);
          assertThat(lookup.value()).isEqualTo(sought.value);
        } catch (CorruptionException e) {
          reported = true;
          assertThat(e.file()).isEqualTo(name);
        }
      }
    }
    return reported;
  }

  /** Opens the store with one damaged file, scans it, and asks for keys near the damage. */
  private static boolean isReportedByStore(String name, byte[] flipped, boolean merging)
      throws IOException {
    MemDisk damaged = disk.kill();
    damaged.setBytes(name, flipped);
    boolean reported = false;
    boolean cold = done % 2 == 0;
    try (Store store = TestStores.open(damaged, options(merging ? MERGING : QUIET, cold))) {
      NavigableMap<String, String> model = MODEL;
      KeyRange range = KeyRange.all();
      TableMeta table = TABLES.get(FileKind.TABLE.numberOf(name).orElse(-1));
      if (table != null) {
        range = KeyRange.from(table.smallestKey()).to(after(table.largestKey()));
        model = MODEL.subMap(text(table.smallestKey()), true, text(table.largestKey()), true);
      }
      try {
        assertThat(scan(store, range).equals(model)).as("a scan").isTrue();
      } catch (CorruptionException e) {
        reported = true;
        assertThat(e.file()).isEqualTo(name);
      }
      int place = 0;
      for (Map.Entry<String, String> entry : model.entrySet()) {
        if (table != null || place++ % 10 == 0) {
          try {
            byte[] value = store.get(bytes(entry.getKey()));
            assertThat(value == null ? null : text(value)).isEqualTo(entry.getValue());
          } catch (CorruptionException e) {
            reported = true;
            assertThat(e.file()).isEqualTo(name);
          }
        }
      }
    } catch (CorruptionException e) {
      assertThat(e.file()).isEqualTo(name);
      return true;
    }
    return reported;
  }

  private static NavigableMap<String, String> scan(Store store, KeyRange range) {
    NavigableMap<String, String> shown = new TreeMap<>();
    try (Cursor cursor = store.cursor(range)) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        shown.put(text(cursor.key()), text(cursor.value()));
      }
    }
    return shown;
  }

  private static byte[] after(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String text(byte[] bytes) {
    return text(bytes, 0, bytes.length);
  }

  private static String text(byte[] bytes, int from, int length) {
    return new String(bytes, from, length, StandardCharsets.US_ASCII);
  }
}
