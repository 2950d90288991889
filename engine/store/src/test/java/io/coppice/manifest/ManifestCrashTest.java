// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.CorruptionException;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.ByteSource;
import io.coppice.io.Disk;
import io.coppice.io.ErrorDisk;
import io.coppice.io.ErrorDisk.Operation;
import io.coppice.io.MemDisk;
import io.coppice.io.disk.DiskSpaceReserve;
import io.coppice.io.disk.FailStopDisk;
import io.coppice.table.KeyWindow;
import io.coppice.table.TableMeta;
import io.coppice.testing.Seeds;
import io.coppice.version.Level;
import io.coppice.version.ManifestState;
import io.coppice.version.RandomEdits;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import io.coppice.version.VersionEdit;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a manifest is after the power failed. {@code -Dseed=…} repeats a failure. */
class ManifestCrashTest {

  private static final long SEED = Seeds.first();

  @Test
  void afterEachEditACrashLeavesExactlyThatVersion() throws IOException {
    Random random = new Random(SEED);
    MemDisk disk = new MemDisk();
    Manifest manifest = open(disk);
    Set<String> logs = new HashSet<>();
    int virtual = 0;
    RandomEdits edits = new RandomEdits(random, manifest::nextNumber, 60);
    // Some seeds draw regroupings late.
    for (int i = 0; i < 300 || (virtual <= 30 && i < 3_000); i++) {
      logs.add(manifest.fileName());
      ManifestState version = manifest.install(edits.next(manifest.state()));
      assertThat(manifest.tableBytes())
          .as("seed %d, edit %d", SEED, i)
          .isEqualTo(version.families().stream().mapToLong(f -> f.version().tableBytes()).sum());
      for (MemDisk after : List.of(disk.crash(), disk.crash(random), disk.kill())) {
        assertSame(reopened(after), version, "seed " + SEED + ", edit " + i);
      }
      virtual += virtual(version) ? 1 : 0;
      if (random.nextInt(20) == 0) {
        manifest.close();
        manifest = open(disk);
        edits = new RandomEdits(random, manifest::nextNumber, 60);
        assertSame(manifest.state(), version, "seed " + SEED + ", reopened at " + i);
      }
    }
    manifest.close();
    assertThat(disk.openFiles()).isZero();
    assertThat(virtual).as("virtual versions, seed " + SEED).isGreaterThan(30);
    assertThat(logs).as("logs begun, seed " + SEED).hasSizeGreaterThan(5);
    assertThat(disk.list()).hasSize(2);
  }

  @Test
  void anEmptyRunStaysWhileAMergeFillsIt() throws IOException {
    MemDisk disk = new MemDisk();
    Manifest manifest = open(disk);
    RandomEdits edits = new RandomEdits(new Random(SEED), manifest::nextNumber, 60);
    manifest.install(edits.next(manifest.state().version(ManifestState.DEFAULT_FAMILY)));
    ManifestState without = manifest.state();
    long flushed = without.version(0).levels().get(0).runs().get(0).id();
    FamilyVersions family = manifest.family();
    long run = family.nextNumber();
    VersionEdit begin = VersionEdit.builder().addRun(3, run, Set.of(flushed)).build();

    family.beginOutput(run);
    family.beginOutput(run);
    family.install(begin);
    manifest.install(VersionEdit.builder().policyText("other").build());
    family.endOutput(run);
    assertThat(family.current().run(run)).as("while a merge fills it").isNotNull();
    assertThat(reopened(disk.crash()).version(0)).isEqualTo(without.version(0));
    family.endOutput(run);
    assertThat(family.current()).isEqualTo(without.version(0));
    assertSame(reopened(disk.crash()), manifest.state(), "once none fills it");

    long other = family.nextNumber();
    family.install(VersionEdit.builder().addRun(3, other, Set.of(flushed)).build());
    assertThat(family.current()).as("which none has filled").isEqualTo(without.version(0));
    manifest.close();
  }

  @Test
  void aRunThatIsFilledStaysThoughItsLastTableLeavesAndNothingFeedsIt() throws IOException {
    MemDisk disk = new MemDisk();
    Manifest manifest = Manifest.open(disk);
    manifest.retireTo(table -> {});
    Random random = new Random(SEED);
    FamilyVersions family = manifest.family();
    long run = family.nextNumber();
    TableMeta first = RandomEdits.meta(family.nextNumber(), 1, 5, random);
    TableMeta second = RandomEdits.meta(family.nextNumber(), 6, 9, random);
    long slice = family.nextNumber();
    family.install(
        VersionEdit.builder().addRun(1, run, Set.of()).addTable(1, run, slice, first).build());

    family.beginOutput(run);
    family.install(VersionEdit.builder().removeSlice(slice).build());
    for (int i = 0; i < 1000; i++) {
      manifest.install(
          VersionEdit.builder().policyText("so many that they are replayed in parts").build());
    }
    VersionEdit.Builder next = VersionEdit.builder();
    family.install(next.addTable(1, run, family.nextNumber(), second).build());
    family.endOutput(run);
    assertThat(family.current().run(run).segments()).hasSize(1);
    assertSame(reopened(disk.crash()), manifest.state(), "filled again");
    manifest.close();
  }

  /** True if some segment has several slices. */
  private static boolean virtual(ManifestState version) {
    return version.families().stream()
        .flatMap(family -> family.version().levels().stream())
        .flatMap(level -> level.runs().stream())
        .flatMap(run -> run.segments().stream())
        .anyMatch(segment -> segment.slices().size() > 1);
  }

  @Test
  void aSnapshotMayNotShowAKeyOfATableTwice() {
    TableMeta table = RandomEdits.meta(5, 10, 20, new Random(1));
    Run upper = new Run(2, List.of(Segment.of(Slice.whole(3, table))), Set.of());
    Slice again = new Slice(4, table, new KeyWindow(RandomEdits.key(19), null));
    Run lower = new Run(6, List.of(Segment.of(again)), Set.of());
    Version version = new Version(List.of(new Level(List.of(upper, lower))));

    assertDamaged(List.of(family(0, "default", version)), "another slice shows");
  }

  @Test
  void aSnapshotMayNotShowATableInTwoFamilies() {
    TableMeta table = RandomEdits.meta(5, 10, 20, new Random(1));
    Run one = new Run(2, List.of(Segment.of(Slice.whole(3, table))), Set.of());
    Run other = new Run(6, List.of(Segment.of(Slice.whole(7, table))), Set.of());

    assertDamaged(
        List.of(
            family(0, "default", new Version(List.of(new Level(List.of(one))))),
            family(2, "users", new Version(List.of(new Level(List.of(other)))))),
        "is in families 0 and 2");
  }

  private static ManifestState.Family family(int number, String name, Version version) {
    return new ManifestState.Family(number, name, "", "", "", version);
  }

  private static void assertDamaged(List<ManifestState.Family> families, String message) {
    ByteSink snapshot = new ByteSink(64);
    ManifestSnapshotCodec.encode(
        new ManifestState(new ManifestState.Marks(10, 0, 0, false, 3, 0), families), snapshot);
    ByteSource source = new ByteSource().reset("a", 0, snapshot.array(), 1, snapshot.length() - 1);
    assertThatThrownBy(() -> ManifestSnapshotCodec.decode(source))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining(message);
  }

  @Test
  void manyEditsAreReplayedInOneGo() throws IOException {
    Random random = new Random(SEED);
    MemDisk disk = new MemDisk();
    Manifest manifest = Manifest.open(disk);
    manifest.retireTo(table -> {});
    String log = manifest.fileName();
    RandomEdits edits = new RandomEdits(random, manifest::nextNumber, 60);
    ManifestState version = manifest.state();
    for (int i = 0; i < 2000; i++) {
      version = manifest.install(edits.next(version));
    }
    assertThat(manifest.fileName()).isEqualTo(log);
    manifest.close();
    assertSame(reopened(disk), version, "seed " + SEED);
  }

  @Test
  void aFailureOfAnyOperationLeavesTheVersionBeforeOrAfter() throws IOException {
    List<Operation> operations =
        List.of(
            Operation.CREATE,
            Operation.OPEN,
            Operation.READ,
            Operation.WRITE,
            Operation.SYNC,
            Operation.RENAME,
            Operation.LIST,
            Operation.SYNC_DIRECTORY);
    for (Operation operation : operations) {
      int n = 1;
      while (failAt(operation, n)) {
        n++;
      }
      assertThat(n).as("failures of " + operation).isGreaterThan(1);
    }
  }

  /** Opens, makes edits and reopens with one failure on the way; false if it was not reached. */
  private static boolean failAt(Operation operation, int n) throws IOException {
    String context = "seed " + SEED + ", " + operation + " " + n;
    Random random = new Random(SEED + n);
    MemDisk disk = new MemDisk();
    ErrorDisk failing = new ErrorDisk(disk).fail(operation, n, true);
    ManifestState before = ManifestState.EMPTY;
    ManifestState after = ManifestState.EMPTY;
    Manifest manifest = null;
    try {
      for (int i = 0; i < 40; i++) {
        if (manifest == null) {
          manifest = open(failing);
        }
        RandomEdits edits = new RandomEdits(random, manifest::nextNumber, 60);
        VersionEdit edit = edits.next(before);
        after = before.apply(edit);
        before = manifest.install(edit);
        if (i % 20 == 19) {
          Manifest closing = manifest;
          manifest = null;
          closing.close();
        }
      }
      return false;
    } catch (IOException e) {
      assertThat(e).as(context).hasMessageContaining(ErrorDisk.MESSAGE);
      if (manifest != null) {
        assertThat(manifest.state()).as(context).isEqualTo(before);
      }
    }
    for (int i = 0; i < 5; i++) {
      ManifestState found = reopened(i == 0 ? disk.crash() : disk.crash(random));
      // A reader leaves out runs without slices: only a running merge needs them.
      assertThat(found.families())
          .as(context)
          .isIn(settled(before).families(), settled(after).families());
    }
    return true;
  }

  private static ManifestState settled(ManifestState state) {
    return state.withoutEmptyRuns(Set.of());
  }

  @Test
  void anErrorOfTheListenerJoinsThatOfTheEdit() throws IOException {
    ErrorDisk failing = new ErrorDisk(new MemDisk());
    try (Manifest manifest = open(failing)) {
      OutOfMemoryError own = new OutOfMemoryError("of the listener");
      manifest.onFailure(
          cause -> {
            throw own;
          });
      VersionEdit edit = VersionEdit.builder().policyText("other").build();
      failing.fail(Operation.SYNC, 1, false);
      assertThatThrownBy(() -> manifest.install(edit))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(ErrorDisk.MESSAGE)
          .hasSuppressedException(own);
      assertThatThrownBy(() -> manifest.install(edit))
          .isInstanceOf(ReadOnlyException.class)
          .hasSuppressedException(own);
      assertThatThrownBy(manifest::recordFamilies)
          .isInstanceOf(ReadOnlyException.class)
          .hasSuppressedException(own);
    }
  }

  /** The next edit after the lack tells of the edit that could not be told of. */
  @Test
  void currentTellsOfAnEditOnceThereIsSpaceAgain() throws IOException {
    int lacked = 0;
    for (ErrorDisk.Fault fault : List.of(ErrorDisk.Fault.ENOSPC, ErrorDisk.Fault.EMFILE)) {
      for (int n = 1; n <= 6; n++) {
        MemDisk disk = new MemDisk();
        ErrorDisk failing = new ErrorDisk(disk);
        try (Manifest manifest =
            open(new FailStopDisk(failing, DiskSpaceReserve.open(disk, () -> 0)))) {
          manifest.install(VersionEdit.builder().createFamily(1, "gone").build());
          failing.fail(fault, CurrentFile.NEW_NAME::equals, n, true);
          manifest.install(VersionEdit.builder().dropFamily(1).build());
          if (!failing.fired()) {
            break;
          }
          lacked++;
          long dropped = length(disk, manifest.fileName());
          assertThat(CurrentFile.read(disk).durable()).isLessThan(dropped);
          failing.heal();
          manifest.install(VersionEdit.builder().nextNumber(1_000).build());
          assertThat(CurrentFile.read(disk).durable())
              .as(fault + " at " + n)
              .isGreaterThanOrEqualTo(dropped);
        }
      }
    }
    assertThat(lacked).isGreaterThan(1);
  }

  /** A family that CURRENT does not record stays due until a record of it succeeds. */
  @Test
  void aNewFamilyStaysUnrecordedUntilCurrentRecordsIt() throws IOException {
    int lacked = 0;
    for (ErrorDisk.Fault fault : List.of(ErrorDisk.Fault.ENOSPC, ErrorDisk.Fault.EMFILE)) {
      for (boolean droppedBefore : List.of(false, true)) {
        for (int n = 1; n <= 6; n++) {
          MemDisk disk = new MemDisk();
          ErrorDisk failing = new ErrorDisk(disk);
          try (Manifest manifest =
              open(new FailStopDisk(failing, DiskSpaceReserve.open(disk, () -> 0)))) {
            manifest.install(VersionEdit.builder().createFamily(1, "first").build());
            manifest.recordFamilies();
            failing.fail(fault, CurrentFile.NEW_NAME::equals, n, true);
            if (droppedBefore) {
              manifest.install(VersionEdit.builder().dropFamily(1).build());
            }
            manifest.install(VersionEdit.builder().createFamily(2, "second").build());
            manifest.recordFamilies();
            if (!failing.fired()) {
              break;
            }
            lacked++;
            long created = length(disk, manifest.fileName());
            assertThat(CurrentFile.read(disk).durable()).isLessThan(created);
            assertThat(manifest.firstUnrecorded()).as(fault + " at " + n).isEqualTo(2);
            failing.heal();
            manifest.recordFamilies();
            assertThat(CurrentFile.read(disk).durable()).isGreaterThanOrEqualTo(created);
            assertThat(manifest.firstUnrecorded()).isEqualTo(Integer.MAX_VALUE);
          }
        }
      }
    }
    assertThat(lacked).isGreaterThan(3);
  }

  private static long length(MemDisk disk, String name) throws IOException {
    try (Disk.InputFile file = disk.open(name)) {
      return file.length();
    }
  }

  @Test
  void aCreationThatIsCutOffLeavesNoStoreForBothOpenings() throws IOException {
    Random random = new Random(SEED);
    int cut = 0;
    for (Operation operation : Operation.values()) {
      for (int n = 1; n <= 20; n++) {
        MemDisk disk = new MemDisk();
        try (Manifest created = open(new ErrorDisk(disk).fail(operation, n, true))) {
          assertThat(created.state().families()).isEqualTo(ManifestState.EMPTY.families());
          continue;
        } catch (IOException e) {
          cut++;
        }
        for (MemDisk left : List.of(disk.kill(), disk.crash(), disk.crash(random))) {
          String context = "seed " + SEED + ", " + operation + " " + n + ": " + left.list();
          if (!left.list().contains(CurrentFile.NAME)) {
            assertThatThrownBy(() -> ManifestReader.read(left))
                .as(context)
                .isInstanceOf(FileSystemException.class)
                .hasMessageMatching(
                    "(?s).*it holds no store(; name the directory of one| yet, .*open it for"
                        + " writing once to create the store)");
          }
          ManifestState opened = reopened(left);
          assertThat(opened.families()).as(context).isEqualTo(ManifestState.EMPTY.families());
        }
      }
    }
    assertThat(cut).isGreaterThan(5);
  }

  @Test
  void aStoreOfFamiliesWithoutTablesDoesNotPassForACreation() throws IOException {
    MemDisk disk = new MemDisk();
    try (Manifest manifest = open(disk)) {
      manifest.install(VersionEdit.builder().policyText("other").build());
    }
    disk.delete(CurrentFile.NAME);
    for (MemDisk left : List.of(disk.kill(), disk.crash())) {
      left.delete(CurrentFile.NAME);
      List<String> names = left.list();
      assertThatThrownBy(() -> open(left))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("`coppice-tool store repair` restores it");
      assertThatThrownBy(() -> ManifestReader.read(left))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("`coppice-tool store repair` restores it");
      assertThat(left.list()).isEqualTo(names);
    }
  }

  @Test
  void afterAFailedSyncNoEditIsTaken() throws IOException {
    MemDisk disk = new MemDisk();
    ErrorDisk failing = new ErrorDisk(disk);
    try (Manifest manifest = open(failing)) {
      RandomEdits edits = new RandomEdits(new Random(1), manifest::nextNumber, 60);
      ManifestState version = manifest.install(edits.next(manifest.state()));
      failing.fail(Operation.SYNC, 1, false);

      VersionEdit edit = edits.next(version);
      assertThatThrownBy(() -> manifest.install(edit)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> manifest.install(edit)).isInstanceOf(ReadOnlyException.class);
      assertThat(manifest.state()).isSameAs(version);
      try (Lease lease = manifest.family().lease()) {
        assertThat(lease.version()).isSameAs(version.version(0));
      }
    }
  }

  @Test
  void aTornLastEditIsLeftOutAndReported() throws IOException {
    MemDisk disk = new MemDisk();
    Manifest manifest = open(disk);
    RandomEdits edits = new RandomEdits(new Random(1), manifest::nextNumber, 60);
    ManifestState before = manifest.install(edits.next(manifest.state()));
    String name = manifest.fileName();
    int length = disk.bytes(name).length;
    manifest.install(edits.next(before));
    int whole = disk.bytes(name).length;

    for (int cut = length; cut < whole; cut++) {
      MemDisk torn = disk.crash();
      torn.setBytes(name, Arrays.copyOf(torn.bytes(name), cut));
      try (Manifest found = open(torn)) {
        assertSame(found.state(), before, "cut at " + cut);
        assertThat(found.droppedBytes()).isEqualTo(cut - length);
      }
    }
  }

  @Test
  void aFlippedByteBeforeTheLastRecordIsReported() throws IOException {
    MemDisk disk = new MemDisk();
    Manifest manifest = open(disk);
    RandomEdits edits = new RandomEdits(new Random(1), manifest::nextNumber, 60);
    for (int i = 0; i < 5; i++) {
      manifest.install(edits.next(manifest.state()));
    }
    String name = manifest.fileName();
    int guarded = disk.bytes(name).length;
    manifest.close();
    byte[] bytes = disk.bytes(name);

    for (int at = 0; at < guarded; at++) {
      byte[] flipped = bytes.clone();
      flipped[at] ^= (byte) (1 << at % 8);
      MemDisk damaged = disk.crash();
      damaged.setBytes(name, flipped);
      assertThatThrownBy(() -> open(damaged).close())
          .as("byte %d of %d", at, guarded)
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining(name);
    }
  }

  @Test
  void aFlippedByteOfCurrentIsReported() throws IOException {
    MemDisk disk = new MemDisk();
    open(disk).close();
    byte[] bytes = disk.bytes(CurrentFile.NAME);
    for (int at = 0; at < bytes.length; at++) {
      byte[] flipped = bytes.clone();
      flipped[at] ^= 0x10;
      MemDisk damaged = disk.crash();
      damaged.setBytes(CurrentFile.NAME, flipped);
      assertThatThrownBy(() -> open(damaged)).isInstanceOf(CorruptionException.class);
    }
  }

  @Test
  void tablesWithoutCurrentAreNotTakenForAnEmptyStore() throws IOException {
    MemDisk disk = new MemDisk();
    disk.setBytes("000005.tbl", new byte[10]);

    assertThatThrownBy(() -> open(disk))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("000005.tbl");
    assertThat(disk.list()).containsExactly("000005.tbl");
  }

  private static Manifest open(io.coppice.io.Disk disk) throws IOException {
    // Short, so that logs are replaced often.
    Manifest manifest = Manifest.open(disk, 2000, found -> {});
    manifest.retireTo(table -> {});
    return manifest;
  }

  private static ManifestState reopened(MemDisk disk) throws IOException {
    try (Manifest manifest = open(disk)) {
      return manifest.state();
    }
  }

  /** Equal but for numbers given out to files. */
  private static void assertSame(ManifestState found, ManifestState expected, String context) {
    assertThat(found.families()).as(context).isEqualTo(expected.families());
    ManifestState.Marks marks = expected.marks();
    assertThat(found.marks().lastSequence()).as(context).isEqualTo(marks.lastSequence());
    assertThat(found.marks().walFloor()).as(context).isEqualTo(marks.walFloor());
    assertThat(found.marks().nextFamily()).as(context).isEqualTo(marks.nextFamily());
    assertThat(found.marks().nextNumber()).as(context).isGreaterThanOrEqualTo(marks.nextNumber());
  }
}
