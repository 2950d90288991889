// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.entry.EntryBatch;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.PassingDisk;
import io.coppice.io.TapDisk;
import io.coppice.load.NumberedWrites;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.ManifestReader;
import io.coppice.model.KindsModel;
import io.coppice.table.TableMeta;
import io.coppice.version.ManifestState;
import io.coppice.version.VersionEdit;
import io.coppice.wal.WalWriter;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** After a repair a store opens, shows what survives, and the report names the rest. */
class StoreRepairTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.builder().policy("leveled,l0_trigger=64,table_size=16KiB").build();

  /** What is done to a file. */
  private enum Damage {
    TRUNCATED,
    MISSING,
    FLIPPED,
    EXTRA,
    EMPTY,
    DUPLICATED
  }

  /** A file of the store. */
  private enum Victim {
    OLD_TABLE(".tbl", 0),
    NEW_TABLE(".tbl", -1),
    FIRST_LOG(".wal", 0),
    MIDDLE_LOG(".wal", 1),
    LAST_LOG(".wal", -1),
    MANIFEST(".manifest", 0),
    CURRENT("CURRENT", 0),
    FILTERS("filters.slots", 0),
    RESERVE("RESERVE", 0);

    private final String ending;
    private final int place;

    Victim(String ending, int place) {
      this.ending = ending;
      this.place = place;
    }

    String of(MemDisk disk) {
      List<String> names = new ArrayList<>(disk.list());
      names.removeIf(name -> !name.endsWith(ending));
      names.sort(null);
      return names.get(place < 0 ? names.size() + place : place);
    }
  }

  private final NavigableMap<String, String> model = new TreeMap<>();
  private MemDisk disk;

  /** Two flushed runs that share keys, and three logs; it was killed. */
  @BeforeEach
  void makeStore() throws IOException {
    MemDisk memory = new MemDisk();
    try (Store store = TestStores.open(memory, OPTIONS)) {
      for (int run = 0; run < 2; run++) {
        for (int i = 0; i < 300; i++) {
          String key = "key" + (1000 + 150 * run + i);
          write(store, key, i % 9 == 8 ? null : "run" + run + "-".repeat(90));
        }
        store.flush();
      }
      disk = memory.kill();
      while (disk.list().stream().filter(name -> name.endsWith(".wal")).count() > 1) {
        Thread.onSpinWait();
        disk = memory.kill();
      }
    }
    ManifestState.Marks marks = ManifestReader.read(disk).state().marks();
    long sequence = marks.lastSequence() + 1;
    for (int log = 0; log < 3; log++) {
      // The log that was open when it was killed is empty.
      long number = log == 0 ? marks.walFloor() : marks.nextNumber() + 100 + log;
      disk.delete(FileKind.WAL.fileName(number));
      try (WalWriter writer = WalWriter.create(disk, number)) {
        for (int i = 0; i < 20; i++) {
          String key = "log" + log + (10 + i);
          EntryBatch batch = new EntryBatch();
          batch.put(bytes(key), 0, 6, bytes("logged"), 0, 6);
          writer.append(sequence++, List.of(batch));
          model.put(key, "logged");
          writer.sync();
        }
      }
    }
  }

  private void write(Store store, String key, String value) {
    WriteBatch batch = new WriteBatch();
    if (value == null) {
      store.write(batch.delete(bytes(key)), Durability.BUFFERED);
      model.remove(key);
    } else {
      store.write(batch.put(bytes(key), bytes(value)), Durability.BUFFERED);
      model.put(key, value);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  static Stream<Arguments> matrix() {
    return Stream.of(Victim.values())
        .flatMap(victim -> Stream.of(Damage.values()).map(damage -> Arguments.of(victim, damage)));
  }

  private static void inflict(MemDisk disk, String name, Damage damage) throws IOException {
    byte[] content = disk.bytes(name);
    switch (damage) {
      case TRUNCATED -> disk.setBytes(name, Arrays.copyOf(content, content.length / 2));
      case MISSING -> disk.delete(name);
      case FLIPPED -> {
        content[content.length / 2] ^= 4;
        disk.setBytes(name, content);
      }
      case EMPTY -> disk.setBytes(name, new byte[0]);
      case EXTRA -> disk.setBytes(name.replaceAll("^[0-9]+", "000777"), content);
      case DUPLICATED -> {
        String twin = name.replaceAll("^[0-9]+", "000778");
        disk.setBytes(twin.equals(name) ? name + ".copy" : twin, content);
      }
      default -> throw new AssertionError(damage);
    }
  }

  @ParameterizedTest
  @MethodSource("matrix")
  void aDamagedStoreOpensAgainAndTheReportNamesWhatIsGone(Victim victim, Damage damage)
      throws IOException {
    String name = victim.of(disk);
    byte[] before = disk.bytes(name);
    inflict(disk, name, damage);
    byte[] damaged = disk.list().contains(name) ? disk.bytes(name) : null;
    boolean sound = !StoreVerifier.verify(disk).damaged();
    boolean cutOff = victim == Victim.MANIFEST && damage == Damage.TRUNCATED;

    RepairReport repair = Repairer.repair(disk);

    String said = victim + " " + damage + ": " + repair;
    assertThat(repair.after().damaged()).as(said).isFalse();
    assertThat(repair.done().isEmpty()).as(said).isEqualTo(sound && !cutOff);
    boolean harmless =
        damage == Damage.EXTRA
            || damage == Damage.DUPLICATED
            || victim == Victim.FILTERS
            || victim == Victim.RESERVE
            || victim == Victim.CURRENT
            || victim == Victim.MANIFEST;
    if (harmless && name.endsWith(".wal")) {
      // The copy may have taken the place of a newer log.
      assertThat(repair.losses()).as(said).hasSize(1);
    } else if (harmless) {
      assertThat(repair.losses()).as(said).isEmpty();
    }
    if (!sound && damaged != null && !Arrays.equals(before, damaged)) {
      assertThat(disk.aside()).as(said).containsKey(name);
      assertThat(disk.aside().get(name)).as(said).isEqualTo(damaged);
    }
    compare(disk, repair, said, harmless);
    assertThat(Repairer.repair(disk.reopen()).done()).as(said + " again").isEmpty();
  }

  private void compare(MemDisk repaired, RepairReport repair, String said, boolean exact)
      throws IOException {
    Map<String, String> shown = new TreeMap<>();
    try (Store store = TestStores.open(repaired.reopen(), OPTIONS);
        Cursor cursor = store.cursor(KeyRange.all())) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        shown.put(text(cursor.key()), text(cursor.value()));
      }
      store.put(bytes("new"), bytes("value"));
    }
    if (exact) {
      assertThat(shown).as(said).isEqualTo(model);
      return;
    }
    TreeSet<String> keys = new TreeSet<>(model.keySet());
    keys.addAll(shown.keySet());
    for (String key : keys) {
      String expected = model.get(key);
      String found = shown.get(key);
      if (expected == null ? found == null : expected.equals(found)) {
        continue;
      }
      boolean missingLog = key.startsWith("log") && repair.losses().isEmpty();
      assertThat(missingLog || repair.losses().stream().anyMatch(loss -> covers(loss, key)))
          .as("%s: %s is %s, not %s", said, key, found, expected)
          .isTrue();
      if (found != null) {
        assertThat(repair.deletedMayReturn()).as(said + ": " + key).isTrue();
      }
    }
  }

  private static boolean covers(RepairReport.Loss loss, String key) {
    if (loss.file().endsWith(".wal")) {
      return key.startsWith("log");
    }
    return (loss.above() == null || Arrays.compareUnsigned(loss.above(), bytes(key)) <= 0)
        && (loss.upTo() == null || Arrays.compareUnsigned(bytes(key), loss.upTo()) <= 0);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.US_ASCII);
  }

  /** A disk of which one byte of a file cannot be read, however often one tries. */
  private static final class BadPlace extends PassingDisk {
    private final String name;
    private final long place;

    BadPlace(Disk disk, String name, long place) {
      super(disk);
      this.name = name;
      this.place = place;
    }

    @Override
    public InputFile open(String opened) throws IOException {
      return new Input(super.open(opened));
    }

    @Override
    public InputFile map(String opened) throws IOException {
      return new Input(super.map(opened));
    }

    private final class Input extends PassingInput {
      Input(InputFile file) {
        super(file);
      }

      @Override
      public void read(long position, byte[] target, int offset, int length) throws IOException {
        if (file.name().equals(name) && position <= place && place < position + length) {
          throw new IOException("Input/output error");
        }
        file.read(position, target, offset, length);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Victim.class,
      names = {"OLD_TABLE", "MIDDLE_LOG"})
  void aPlaceThatCannotBeReadIsADamage(Victim victim) throws IOException {
    String name = victim.of(disk);
    BadPlace failing = new BadPlace(disk, name, disk.bytes(name).length / 2);
    assertThat(Repairer.verify(failing, share -> {}).damages())
        .singleElement()
        .satisfies(damage -> assertThat(damage.file()).isEqualTo(name))
        .satisfies(damage -> assertThat(damage).hasMessageContaining("cannot be read: Input/out"));
    RepairReport repair = Repairer.repair(failing);
    assertThat(repair.after().damaged()).as("%s", repair).isFalse();
    assertThat(repair.losses()).extracting(RepairReport.Loss::file).contains(name);
    assertThat(disk.aside()).containsKey(name);
    compare(disk, repair, victim + ": " + repair, false);
  }

  /** A crash can leave a table that the manifest has dropped and that is not deleted yet. */
  @Test
  void aTableThatTheManifestHasDroppedIsNoSuccessor() throws IOException {
    MemDisk written = new MemDisk();
    TableMeta input;
    try (Store store = TestStores.open(written, StoreOptions.builder().policy("leveled").build())) {
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 9; i++) {
          store.put(bytes("key" + i), bytes("value" + round));
        }
        store.flush();
      }
      input = tables(written.kill()).iterator().next();
      store.compact();
    }
    MemDisk memory = written.reopen();
    try (Manifest manifest = Manifest.open(memory)) {
      manifest.retireTo(table -> {});
      long run = manifest.nextNumber();
      manifest.install(
          VersionEdit.builder()
              .removeSlice(manifest.family().current().slices().get(0).id())
              .addRun(0, run, Set.of())
              .addTable(0, run, manifest.nextNumber(), input)
              .build());
    }
    String gone = FileKind.TABLE.fileName(input.number());
    assertThat(memory.list()).doesNotContain(gone).anyMatch(name -> name.endsWith(".tbl"));
    RepairReport repair = Repairer.repair(memory);
    assertThat(repair.losses()).as("%s", repair).extracting(RepairReport.Loss::file).contains(gone);
    assertThat(repair.done()).noneMatch(line -> line.contains("tables hold more"));
    assertThat(repair.after().damaged()).isFalse();
  }

  private static Collection<TableMeta> tables(MemDisk disk) throws IOException {
    return ManifestReader.read(disk).state().version(0).tables();
  }

  @ParameterizedTest
  @ValueSource(strings = {"default", "users"})
  void aLeftoverTableOfAnotherFamilyOrAnInputIsNoSuccessor(String lost) throws IOException {
    String policy = "leveled,l0_trigger=64,table_size=16KiB";
    StoreOptions options = StoreOptions.builder().policy(policy).family("users", policy).build();
    MemDisk written = new MemDisk();
    MemDisk inputs;
    try (Store store = TestStores.open(written, options)) {
      Family users = store.family("users");
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 9; i++) {
          if (round == 0) {
            store.put(bytes("key" + i), bytes("value"));
          }
          if (round == 0 || i > 0) {
            users.put(bytes("key" + i), bytes("value" + round));
          }
        }
        store.flush();
        if (round == 1) {
          users.compact();
        }
      }
      inputs = written.kill();
      users.compact();
    }
    MemDisk memory = written.reopen();
    ManifestState found = ManifestReader.read(memory).state();
    ManifestState.Family family =
        found.families().stream().filter(one -> one.name().equals(lost)).findFirst().orElseThrow();
    String gone = FileKind.TABLE.fileName(family.version().tables().iterator().next().number());
    for (String name : inputs.list()) {
      if (name.endsWith(".tbl") && !memory.list().contains(name)) {
        memory.setBytes(name, inputs.bytes(name));
      }
    }
    memory.delete(gone);
    RepairReport repair = Repairer.repair(memory);
    assertThat(repair.losses()).as("%s", repair).extracting(RepairReport.Loss::file).contains(gone);
    assertThat(repair.done()).noneMatch(line -> line.contains("tables hold more"));
    assertThat(repair.after().damaged()).isFalse();
  }

  @Test
  void theMiddleOfALogEndsWhatIsRecovered() throws IOException {
    String name = Victim.MIDDLE_LOG.of(disk);
    byte[] content = disk.bytes(name);
    content[content.length / 2] ^= 1;
    disk.setBytes(name, content);
    RepairReport repair = Repairer.repair(disk);
    assertThat(repair.losses())
        .extracting(RepairReport.Loss::file)
        .containsExactly(name, lastAside());
    TreeSet<String> logged = new TreeSet<>();
    try (Store store = TestStores.open(disk.reopen(), OPTIONS);
        Cursor cursor = store.cursor(KeyRange.prefix(bytes("log")))) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        logged.add(text(cursor.key()));
      }
    }
    assertThat(logged).hasSizeBetween(25, 35).contains("log029", "log110").doesNotContain("log210");
    assertThat(new ArrayList<>(model.tailMap("log").keySet()).subList(0, logged.size()))
        .as("a prefix of the writes")
        .containsExactlyElementsOf(logged);
  }

  private String lastAside() {
    return disk.aside().keySet().stream().max(String::compareTo).orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFileOfAVastNumberChangesNothing(boolean repaired) throws IOException {
    disk.setBytes("999999999999999999.tbl", new byte[100]);
    if (repaired) {
      disk.delete("CURRENT");
      assertThat(Repairer.repair(disk).after().damaged()).isFalse();
    }
    for (int session = 0; session < 3; session++) {
      try (Store store = TestStores.open(disk.reopen(), OPTIONS)) {
        write(store, "session" + session, "value");
        store.flush();
      }
      assertThat(StoreVerifier.verify(disk.reopen()).damaged()).isFalse();
      assertThat(disk.reopen().list()).noneMatch(name -> name.length() > 20);
    }
    NavigableMap<String, String> shown = new TreeMap<>();
    try (Store store = TestStores.open(disk.reopen(), OPTIONS);
        Cursor cursor = store.cursor(KeyRange.all())) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        shown.put(text(cursor.key()), text(cursor.value()));
      }
    }
    assertThat(shown).isEqualTo(model);
  }

  /** A log that was replaced by another file is as lost as one that was removed. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLogThatIsAnotherFileIsLost(boolean removed) throws IOException {
    MemDisk subject = new MemDisk();
    try (Store store = TestStores.open(subject, OPTIONS)) {
      store.put(bytes("alive"), bytes("old"));
      store.put(bytes("dead"), bytes("x"));
      store.flush();
      store.put(bytes("alive"), bytes("new"));
      store.delete(bytes("dead"));
      subject = subject.kill();
    }
    String log = Victim.LAST_LOG.of(subject);
    if (removed) {
      subject.delete(log);
    } else {
      subject.setBytes(log, subject.bytes(Victim.OLD_TABLE.of(subject)));
    }
    RepairReport repair = Repairer.repair(subject);
    assertThat(repair.losses())
        .singleElement()
        .satisfies(loss -> assertThat(loss.file()).isEqualTo(log))
        .satisfies(loss -> assertThat(loss.text()).contains("writes and deletions after sequence"));
    assertThat(repair.deletedMayReturn()).isTrue();
    try (Store store = TestStores.open(subject.reopen(), OPTIONS)) {
      assertThat(text(store.get(bytes("alive")))).isEqualTo("old");
    }
  }

  /** Where the next log goes on, there was no log in that place. */
  @Test
  void anotherFileBetweenLogsThatFollowEachOtherLosesNothing() throws IOException {
    List<String> logs =
        disk.list().stream().filter(name -> name.endsWith(".wal")).sorted().toList();
    long between = FileKind.WAL.numberOf(logs.get(0)).getAsLong() + 1;
    disk.setBytes(FileKind.WAL.fileName(between), disk.bytes(logs.get(0)));
    RepairReport repair = Repairer.repair(disk);
    assertThat(repair.losses()).as("%s", repair).isEmpty();
    compare(disk, repair, repair.toString(), true);
  }

  /** Operands of a table or a log show no value once what they apply to is lost. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void operandsWithoutTheirBaseShowNothing(boolean logged) throws IOException {
    StoreOptions merging =
        StoreOptions.builder().mergeOperator(KindsModel.APPEND).policy("tiered,trigger=64").build();
    MemDisk subject = new MemDisk();
    try (Store store = TestStores.open(subject, merging)) {
      store.put(bytes("counter"), bytes("1000"));
      store.put(bytes("lost"), bytes("a"));
      store.flush();
      store.merge(bytes("counter"), bytes("+2"));
      store.put(bytes("later"), bytes("b"));
      store.merge(bytes("later"), bytes("+1"));
      if (!logged) {
        store.flush();
      }
      subject = subject.kill();
    }
    String table = Victim.OLD_TABLE.of(subject);
    byte[] content = subject.bytes(table);
    content[55] ^= 1;
    subject.setBytes(table, content);
    RepairReport repair = Repairer.repair(subject);
    assertThat(repair.done())
        .anyMatch(line -> line.contains("1 key was deleted from \"counter\" to \"counter\""));
    try (Store store = TestStores.open(subject.reopen(), merging)) {
      assertThat(store.get(bytes("counter"))).isNull();
      assertThat(store.get(bytes("lost"))).isNull();
      assertThat(text(store.get(bytes("later")))).isEqualTo("b+1");
    }
    assertThat(Repairer.repair(subject.reopen()).done()).isEmpty();
  }

  @Test
  void aMissingLogIsNoticedByItsSequences() throws IOException {
    disk.delete(Victim.MIDDLE_LOG.of(disk));
    disk.delete(Victim.CURRENT.of(disk));
    RepairReport repair = Repairer.repair(disk);
    assertThat(repair.losses())
        .singleElement()
        .satisfies(
            loss ->
                assertThat(loss.text()).contains("are in no table and no log: written without"));
    assertThat(repair.deletedMayReturn()).isTrue();
  }

  /**
   * Stores in the middle of their merges whose manifest is lost are put together by the tables
   * alone: nothing that is live is missing, and what returns was announced.
   */
  @Test
  void withoutAManifestTablesAreOrderedByTheirSequences() throws IOException {
    NumberedWrites writes = new NumberedWrites(200);
    MemDisk memory = new MemDisk();
    List<MemDisk> states = new ArrayList<>();
    List<Integer> written = new ArrayList<>();
    int[] number = {0};
    int[] operations = {0};
    Runnable tap =
        () -> {
          if (Thread.currentThread().getName().contains("-merge-") && operations[0]++ % 5 == 0) {
            synchronized (states) {
              states.add(memory.kill());
              written.add(number[0]);
            }
          }
        };
    StoreOptions merging =
        StoreOptions.builder()
            .policy("leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=1")
            .memtableBytes(64 << 10)
            .build();
    try (Store store = TestStores.open(new TapDisk(memory, tap), merging)) {
      for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 250; i++) {
          writes.write(store, number[0], Durability.BUFFERED);
          number[0]++;
        }
        store.flush();
        store.awaitIdle();
      }
    }
    assertThat(states).hasSizeGreaterThan(10);
    Random random = new Random(3);
    for (int i = 0; i < 25; i++) {
      int at = random.nextInt(states.size());
      MemDisk state = states.get(at).kill();
      List<String> named =
          ManifestReader.read(state).state().tables().stream()
              .map(table -> FileKind.TABLE.fileName(table.number()))
              .toList();
      for (String name : List.copyOf(state.list())) {
        if (name.endsWith(".manifest") || (i % 2 == 0 && name.equals("CURRENT"))) {
          state.delete(name);
        }
      }
      RepairReport repair = Repairer.repair(state);
      assertThat(repair.after().damaged()).as("%s", repair).isFalse();
      // A table that was being written is no loss, but who can tell?
      assertThat(repair.losses())
          .as("%s", repair)
          .noneMatch(loss -> named.contains(loss.file()) || !loss.file().endsWith(".tbl"));
      NavigableMap<byte[], byte[]> expected = writes.after(written.get(at));
      try (Store store = TestStores.open(state.reopen(), OPTIONS)) {
        NavigableMap<byte[], byte[]> shown = NumberedWrites.contents(store);
        expected.forEach((key, value) -> assertThat(shown.get(key)).isEqualTo(value));
        if (shown.size() > expected.size()) {
          assertThat(repair.deletedMayReturn()).isTrue();
        }
      }
    }
  }

  /** Adds a write that follows from its number: operands, and now and then a value under them. */
  private static void add(WriteBatch batch, KindsModel model, int number) {
    byte[] key = bytes("key" + number * 31 % 200);
    if (number < 200) {
      byte[] value = bytes(number + "-".repeat(90) + ":");
      batch.put(key, value);
      model.put(key, value, KindsModel.FOREVER);
    } else {
      byte[] operand = bytes(number + ",");
      batch.merge(key, operand);
      model.merge(key, operand);
    }
  }

  /** Where a merge has folded operands, the result counts, and not the operands beside it. */
  @Test
  void withoutAManifestFoldedValuesCount() throws IOException {
    MemDisk memory = new MemDisk();
    List<MemDisk> states = new ArrayList<>();
    List<NavigableMap<byte[], byte[]>> expected = new ArrayList<>();
    KindsModel written = new KindsModel();
    int[] operations = {0};
    Runnable tap =
        () -> {
          if (Thread.currentThread().getName().contains("-merge-") && operations[0]++ % 5 == 0) {
            synchronized (written) {
              states.add(memory.kill());
              expected.add(written.at(0));
            }
          }
        };
    StoreOptions merging =
        StoreOptions.builder()
            .policy("leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=1")
            .memtableBytes(64 << 10)
            .mergeOperator(KindsModel.APPEND)
            .build();
    try (Store store = TestStores.open(new TapDisk(memory, tap), merging)) {
      for (int number = 0; number < 1_200; number++) {
        synchronized (written) {
          WriteBatch batch = new WriteBatch();
          add(batch, written, number);
          store.write(batch, Durability.BUFFERED);
        }
        if (number % 200 == 199) {
          store.flush();
          store.awaitIdle();
        }
      }
    }
    assertThat(states).hasSizeGreaterThan(10);
    for (int i = 0; i < states.size(); i += Math.max(1, states.size() / 40)) {
      MemDisk state = states.get(i).kill();
      for (String name : List.copyOf(state.list())) {
        if (name.endsWith(".manifest")) {
          state.delete(name);
        }
      }
      RepairReport repair = Repairer.repair(state);
      assertThat(repair.after().damaged()).as("%s", repair).isFalse();
      try (Store store = TestStores.open(state.reopen(), merging)) {
        NavigableMap<byte[], byte[]> shown = NumberedWrites.contents(store);
        assertThat(shown.size()).as("%s", repair).isEqualTo(expected.get(i).size());
        expected
            .get(i)
            .forEach(
                (key, value) ->
                    assertThat(text(shown.get(key))).as("%s", repair).isEqualTo(text(value)));
      }
    }
  }

  /**
   * What a store leaves that dies at each step of a flush, some of whose writes no log holds: they
   * are of the first family, or of the first table. Keys from {@code sync102} on were synced.
   */
  private static List<MemDisk> deathsInAFlush(boolean ofTwoFamilies) throws IOException {
    MemDisk memory = new MemDisk();
    List<MemDisk> states = new ArrayList<>();
    AtomicBoolean flushing = new AtomicBoolean();
    Runnable tap =
        () -> {
          if (flushing.get() && Thread.currentThread().getName().matches(".*-(flush|sync)")) {
            synchronized (states) {
              states.add(memory.kill());
            }
          }
        };
    StoreOptions options =
        StoreOptions.builder()
            .policy("leveled,l0_trigger=64,table_size=4KiB")
            .family("users", "leveled,l0_trigger=64,table_size=4KiB")
            .build();
    try (Store store = TestStores.open(new TapDisk(memory, tap), options)) {
      Family synced = store.family(ofTwoFamilies ? "users" : "default");
      for (int i = 1; i <= 160; i++) {
        boolean sync = i >= 102 && i <= 110;
        Family family = sync ? synced : store.family("default");
        byte[] key = bytes((sync ? "sync" : "none") + i);
        store.write(
            new WriteBatch().put(family, key, bytes("v".repeat(200))),
            sync ? Durability.SYNC : Durability.NONE);
        if (i == 100) {
          store.flush();
        }
      }
      flushing.set(true);
      store.flush();
      flushing.set(false);
    }
    return states;
  }

  private static void assertSynced(MemDisk repaired, String said) throws IOException {
    TreeSet<String> shown = new TreeSet<>();
    try (Store store = TestStores.open(repaired.reopen(), StoreOptions.defaults())) {
      for (Family family : store.families()) {
        try (Cursor cursor = family.cursor(KeyRange.prefix(bytes("sync")))) {
          for (cursor.first(); cursor.valid(); cursor.next()) {
            shown.add(text(cursor.key()));
          }
        }
      }
    }
    assertThat(shown).as(said).hasSize(9);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFlushUnderWayIsNoDamage(boolean ofTwoFamilies) throws IOException {
    List<MemDisk> states = deathsInAFlush(ofTwoFamilies);
    assertThat(states).hasSizeGreaterThan(10);
    for (MemDisk state : states) {
      MemDisk subject = state.kill();
      RepairReport repair = Repairer.repair(subject);
      assertThat(repair.done()).isEmpty();
      assertSynced(subject, repair.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void besideAFlushUnderWayOnlyWhatIsDamagedIsLost(boolean ofTwoFamilies) throws IOException {
    for (MemDisk state : deathsInAFlush(ofTwoFamilies)) {
      MemDisk subject = state.kill();
      String name = Victim.OLD_TABLE.of(subject);
      byte[] content = subject.bytes(name);
      content[500] ^= 4;
      subject.setBytes(name, content);
      RepairReport repair = Repairer.repair(subject);
      assertThat(repair.losses()).extracting(RepairReport.Loss::file).containsOnly(name);
      assertSynced(subject, repair.toString());
    }
  }

  /** A table that holds some of a log proves nothing about the rest of it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLogCountsUntilItsFlushIsProven(boolean withoutManifest) throws IOException {
    for (boolean ofTwoFamilies : new boolean[] {false, true}) {
      for (MemDisk state : deathsInAFlush(ofTwoFamilies)) {
        MemDisk subject = state.kill();
        for (String name : List.copyOf(subject.list())) {
          if (withoutManifest && name.endsWith(".manifest")) {
            subject.delete(name);
          }
        }
        if (!withoutManifest) {
          subject.delete(Victim.OLD_TABLE.of(subject));
        }
        RepairReport repair = Repairer.repair(subject);
        assertThat(repair.after().damaged()).as("%s", repair).isFalse();
        assertSynced(subject, repair.toString());
      }
    }
  }

  @Test
  void aCrashInARepairLeavesAStoreThatCanBeRepaired() throws IOException {
    List<String> all = List.of(Victim.NEW_TABLE.of(disk), Victim.MIDDLE_LOG.of(disk), "CURRENT");
    for (String name : all) {
      inflict(disk, name, Damage.FLIPPED);
    }
    List<MemDisk> crashes = new ArrayList<>();
    MemDisk subject = disk.kill();
    Random random = new Random(5);
    RepairReport whole =
        Repairer.repair(
            new TapDisk(
                subject,
                () -> crashes.add(random.nextBoolean() ? subject.crash() : subject.crash(random))));
    assertThat(whole.losses()).isNotEmpty();
    assertThat(crashes).hasSizeGreaterThan(15);
    for (MemDisk crash : crashes) {
      RepairReport again = Repairer.repair(crash);
      assertThat(again.after().damaged()).as("%s", again).isFalse();
      Map<String, String> shown = new TreeMap<>();
      try (Store store = TestStores.open(crash.reopen(), OPTIONS);
          Cursor cursor = store.cursor(KeyRange.prefix(bytes("log")))) {
        for (cursor.first(); cursor.valid(); cursor.next()) {
          shown.put(text(cursor.key()), text(cursor.value()));
        }
      }
      assertThat(shown).hasSizeBetween(25, 35);
      assertThat(new ArrayList<>(model.tailMap("log").keySet()).subList(0, shown.size()))
          .as("a prefix of the writes, after a crash and %s", again)
          .containsExactlyElementsOf(shown.keySet());
    }
  }

  @Test
  void onARealDiskDamagedFilesLieInLost(@TempDir Path parent) throws IOException {
    Path directory = parent.resolve("store");
    try (Store store = Store.open(directory, OPTIONS)) {
      for (int i = 0; i < 400; i++) {
        write(store, "key" + (1000 + i), "v".repeat(100));
      }
    }
    assertThat(Repairer.repair(directory, share -> {}).done()).isEmpty();
    Path table;
    try (Stream<Path> files = Files.list(directory)) {
      table = files.filter(file -> file.toString().endsWith(".tbl")).sorted().findFirst().get();
    }
    byte[] content = Files.readAllBytes(table);
    content[5_000] ^= 1;
    Files.write(table, content);
    List<Double> shares = new ArrayList<>();
    RepairReport repair = Repairer.repair(directory, shares::add);
    assertThat(shares).isSorted().contains(1.0);
    assertThat(repair.losses()).hasSize(1);
    assertThat(repair.losses().get(0).toString())
        .contains(table.getFileName() + ": keys from \"key10", "a block of sequences up to");
    assertThat(repair.deletedMayReturn()).isFalse();
    assertThat(table).doesNotExist();
    assertThat(directory.resolve("lost").resolve(table.getFileName())).hasBinaryContent(content);
    assertThat(repair.after().damaged()).isFalse();
    assertThat(repair.after().leftovers()).isEmpty();
    try (Store store = Store.open(directory, OPTIONS)) {
      assertThat(store.get(bytes("key1000"))).isNotNull();
    }
    assertThat(directory.resolve("lost").resolve(table.getFileName())).exists();
    assertThat(FileKind.TABLE.numberOf(table.getFileName().toString())).isPresent();
  }

  /** What a store of every kind of thing holds, by family. */
  private static final class Mixed {
    private final Map<String, NavigableMap<String, String>> families = new TreeMap<>();
    private final MemDisk disk;

    /**
     * Two families, compressed, in which ranges were deleted while values were in tables and after;
     * logs hold the last of it. It was killed.
     */
    Mixed() throws IOException {
      StoreOptions options =
          StoreOptions.builder()
              .policy("leveled,l0_trigger=64,table_size=16KiB")
              .family("users", "leveled,l0_trigger=64,table_size=16KiB")
              .compression("lz4")
              .build();
      MemDisk memory = new MemDisk();
      try (Store store = TestStores.open(memory, options)) {
        for (String name : List.of("default", "users")) {
          families.put(name, new TreeMap<>());
          Family family = store.family(name);
          put(family, 1000, 1400, "first");
          store.flush();
          deleteRange(family, 1100, 1200);
          put(family, 1150, 1160, "second");
          store.flush();
          deleteRange(family, 1300, 1320);
          put(family, 1310, 1315, "third");
        }
        store.sync();
        disk = memory.kill();
      }
    }

    private static byte[] key(int number) {
      return bytes("key" + number);
    }

    /** Values that hardly become smaller, so that there are several tables. */
    private void put(Family family, int from, int to, String value) {
      Random random = new Random(from);
      for (int i = from; i < to; i++) {
        String noisy = value + new BigInteger(640, random).toString(Character.MAX_RADIX);
        family.put(key(i), bytes(noisy));
        families.get(family.name()).put("key" + i, noisy);
      }
    }

    private void deleteRange(Family family, int from, int to) {
      family.deleteRange(key(from), key(to));
      families.get(family.name()).subMap("key" + from, "key" + to).clear();
    }

    private List<String> tables() {
      return disk.list().stream().filter(name -> name.endsWith(".tbl")).sorted().toList();
    }

    /** Opens what was repaired and holds each key against what was there. */
    void compare(RepairReport repair) throws IOException {
      String said = repair.toString();
      boolean exact = repair.losses().isEmpty() && !repair.deletedMayReturn();
      try (Store store = TestStores.open(disk.reopen(), StoreOptions.defaults())) {
        List<String> names = store.families().stream().map(Family::name).toList();
        for (String name : families.keySet()) {
          NavigableMap<String, String> shown = new TreeMap<>();
          if (names.contains(name)) {
            try (Cursor cursor = store.family(name).cursor(KeyRange.all())) {
              for (cursor.first(); cursor.valid(); cursor.next()) {
                shown.put(text(cursor.key()), text(cursor.value()));
              }
            }
          }
          if (exact) {
            assertThat(shown).as(name + ": " + said).isEqualTo(families.get(name));
          }
          families
              .get(name)
              .forEach(
                  (key, value) ->
                      assertThat(
                              value.equals(shown.get(key))
                                  || repair.losses().stream().anyMatch(l -> covers(l, key)))
                          .as("%s: %s of %s is %s", said, key, name, shown.get(key))
                          .isTrue());
          shown.keySet().removeAll(families.get(name).keySet());
          assertThat(shown.isEmpty() || repair.deletedMayReturn())
              .as("%s: %s of %s are back", said, shown.keySet(), name)
              .isTrue();
        }
      }
    }
  }

  @Test
  void familiesRangesAndCompressedTablesSurviveTheLossOfCurrent() throws IOException {
    Mixed mixed = new Mixed();
    mixed.disk.delete("CURRENT");
    mixed.disk.delete("filters.slots");
    RepairReport repair = Repairer.repair(mixed.disk);
    assertThat(repair.after().damaged()).as("%s", repair).isFalse();
    assertThat(repair.losses()).as("%s", repair).isEmpty();
    assertThat(repair.deletedMayReturn()).as("%s", repair).isFalse();
    mixed.compare(repair);
  }

  @Test
  void ofEachDamagedTableOfAFamilyTheRestSurvives() throws IOException {
    int tables = new Mixed().tables().size();
    assertThat(tables).isGreaterThanOrEqualTo(8);
    for (int i = 0; i < tables; i++) {
      for (int part = 1; part < 8; part += 2) {
        Mixed mixed = new Mixed();
        String name = mixed.tables().get(i);
        byte[] content = mixed.disk.bytes(name);
        content[(int) ((long) content.length * part / 8)] ^= 4;
        mixed.disk.setBytes(name, content);
        RepairReport repair = Repairer.repair(mixed.disk);
        assertThat(repair.after().damaged()).as("%s", repair).isFalse();
        assertThat(repair.losses()).as("%s", repair).isNotEmpty();
        mixed.compare(repair);
      }
    }
  }
}
