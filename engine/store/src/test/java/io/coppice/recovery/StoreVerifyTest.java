// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.CorruptionException;
import io.coppice.base.Durability;
import io.coppice.base.LockedException;
import io.coppice.io.ErrorDisk;
import io.coppice.io.ErrorDisk.Fault;
import io.coppice.io.ErrorDisk.Operation;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.TapDisk;
import io.coppice.manifest.ManifestReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Verification finds every damage, names file and offset, and changes nothing. */
class StoreVerifyTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.builder().policy("leveled,l0_trigger=64,table_size=16KiB").build();

  private MemDisk disk;

  /** Two flushed runs of several tables and a log; it was killed. */
  @BeforeEach
  void makeStore() throws IOException {
    MemDisk memory = new MemDisk();
    try (Store store = TestStores.open(memory, OPTIONS)) {
      fill(store);
      disk = memory.kill();
      while (names(FileKind.WAL).size() > 1) {
        // The flusher removes the last dead log after it said that it is done.
        Thread.onSpinWait();
        disk = memory.kill();
      }
    }
  }

  private static void fill(Store store) {
    for (int run = 0; run < 2; run++) {
      for (int i = 0; i < 300; i++) {
        byte[] key = ("key" + (1000 + i)).getBytes(StandardCharsets.US_ASCII);
        WriteBatch batch = new WriteBatch();
        store.write(
            i % 9 == 8 ? batch.delete(key) : batch.put(key, new byte[100 + run]),
            Durability.BUFFERED);
      }
      store.flush();
    }
    store.put(new byte[] {1}, new byte[] {2});
    store.put(new byte[] {2}, new byte[] {3});
  }

  private Verification verify() throws IOException {
    Map<String, Integer> before = contents();
    TapDisk tapped =
        new TapDisk(
            disk.reopen(),
            () -> {
              throw new AssertionError("verification writes");
            });
    Verification found = StoreVerifier.verify(tapped);
    assertThat(disk.openFiles()).isZero();
    assertThat(contents()).isEqualTo(before);
    return found;
  }

  private Map<String, Integer> contents() throws IOException {
    Map<String, Integer> contents = new TreeMap<>();
    for (String name : disk.list()) {
      contents.put(name, Arrays.hashCode(disk.bytes(name)));
    }
    return contents;
  }

  private List<String> names(FileKind kind) {
    List<String> names = new ArrayList<>(disk.list());
    names.removeIf(name -> kind.numberOf(name).isEmpty());
    names.sort(null);
    return names;
  }

  private void flip(String name, int at) throws IOException {
    byte[] bytes = disk.bytes(name);
    bytes[at] ^= 4;
    disk.setBytes(name, bytes);
  }

  /** Nothing tells a log that was cut behind a record from one that was not written further. */
  @Test
  void onlyAClosedStoreIsSound() throws IOException {
    String log = names(FileKind.WAL).get(0);
    Verification found = verify();
    assertThat(found.sound()).isFalse();
    assertThat(found.doubts())
        .singleElement()
        .satisfies(doubt -> assertThat(doubt).startsWith(log + ", the newest log, may have lost"));
    try (Store store = TestStores.open(disk.reopen(), StoreOptions.defaults())) {
      store.put(new byte[] {3}, new byte[] {4});
    }
    disk.reopen();
    found = verify();
    assertThat(found.sound()).as("%s", found).isTrue();
  }

  /** A close that writes nothing removes the log, so nothing can be missing at its end. */
  @Test
  void aStoreThatWasClosedWithoutAWriteIsSound() throws IOException {
    TestStores.open(disk.reopen(), OPTIONS).close();
    disk.reopen();
    Verification closed = verify();
    assertThat(closed.sound()).as("%s", closed).isTrue();
    assertThat(closed.logs()).isZero();
    TestStores.open(disk.reopen(), OPTIONS).close();
    disk.reopen();
    assertThat(verify().sound()).isTrue();
  }

  @Test
  void aLogThatHadWritesIsDoubtedWhateverItsLength() throws IOException {
    String log = names(FileKind.WAL).get(0);
    byte[] bytes = disk.bytes(log);
    for (int length = 0; length <= bytes.length; length += 7) {
      disk.setBytes(log, Arrays.copyOf(bytes, length));
      Verification found = verify();
      assertThat(found.sound()).as("cut to %d bytes: %s", length, found).isFalse();
    }
  }

  @Test
  void aSoundStoreIsSound() throws IOException {
    Verification found = verify();
    assertThat(found.damaged()).as("%s", found).isFalse();
    assertThat(found.leftovers()).isEmpty();
    assertThat(found.tables()).isGreaterThan(3).isEqualTo(names(FileKind.TABLE).size());
    assertThat(found.entries()).isEqualTo(602);
    assertThat(found.logs()).isEqualTo(1);
    assertThat(found.tornBytes()).isZero();
  }

  @Test
  void aFlipInAnyFileThatCountsIsReportedThere() throws IOException {
    MemDisk sound = disk;
    for (FileKind kind :
        List.of(FileKind.WAL, FileKind.TABLE, FileKind.MANIFEST, FileKind.CURRENT)) {
      String name = names(kind).get(0);
      int length = disk.bytes(name).length;
      for (int at = 0; at < length; at += 1 + length / 150) {
        disk = sound.kill();
        flip(name, at);
        Verification found = verify();
        assertThat(found.damages()).as("byte %d of %s", at, name).hasSize(1);
        CorruptionException damage = found.damages().get(0);
        assertThat(damage.file()).isEqualTo(name);
        assertThat(damage.offset()).isBetween(0L, (long) at);
      }
      disk = sound;
    }
  }

  @Test
  void everyDamagedBlockOfATableIsReported() throws IOException {
    String name = names(FileKind.TABLE).get(0);
    flip(name, 1_000);
    flip(name, 9_000);
    flip(names(FileKind.TABLE).get(2), 5_000);
    Verification found = verify();
    assertThat(found.damages()).hasSize(3);
    assertThat(found.damages())
        .extracting(CorruptionException::file)
        .containsExactlyInAnyOrder(name, name, names(FileKind.TABLE).get(2));
    assertThat(found.entries()).isBetween(300L, 601L);
  }

  @Test
  void whatCannotBeReadIsADamageAndAllElseIsRead() throws IOException {
    for (FileKind kind : List.of(FileKind.TABLE, FileKind.WAL)) {
      String name = names(kind).get(0);
      ErrorDisk failing = new ErrorDisk(disk.reopen());
      Verification found;
      int read = 0;
      do {
        read++;
        failing.fail(Fault.EIO, Operation.READ, name::equals, read);
        found = StoreVerifier.verify(failing);
        assertThat(found.tables()).isEqualTo(names(FileKind.TABLE).size());
        assertThat(found.damages()).hasSize(failing.fired() ? 1 : 0);
        for (CorruptionException damage : found.damages()) {
          assertThat(damage.file()).isEqualTo(name);
          assertThat(damage).hasMessageContaining("cannot be read").hasMessageContaining("error");
        }
      } while (failing.fired());
      assertThat(found.entries()).isEqualTo(602);
      assertThat(read).as(name).isGreaterThan(2);
    }
    assertThat(disk.openFiles()).isZero();
  }

  @Test
  void aLogOfWhichNothingTellsYetIsADamageTooWhereItCannotBeRead() throws IOException {
    byte[] log = disk.bytes(names(FileKind.WAL).get(0));
    TestStores.open(disk, OPTIONS).close();
    disk = disk.reopen();
    String name = FileKind.WAL.fileName(ManifestReader.read(disk).state().marks().walFloor());
    disk.setBytes(name, log);
    ErrorDisk failing = new ErrorDisk(disk);
    failing.fail(Operation.READ, name::equals, 1, true);
    Verification found = StoreVerifier.verify(failing);
    assertThat(found.tables()).isEqualTo(names(FileKind.TABLE).size());
    assertThat(found.damages()).extracting(CorruptionException::file).containsExactly(name);
  }

  @Test
  void aDiskThatFailsAsAWholeEndsVerification() throws IOException {
    String table = names(FileKind.TABLE).get(0);
    ErrorDisk failing = new ErrorDisk(disk.reopen());
    // The directory is listed twice before the first table is opened.
    failing.fail(Fault.EIO, name -> name.isEmpty() || name.equals(table), 3, true);
    assertThatThrownBy(() -> StoreVerifier.verify(failing)).isInstanceOf(IOException.class);
    assertThat(disk.openFiles()).isZero();
  }

  @Test
  void missingAndSwappedTablesAreReported() throws IOException {
    List<String> tables = names(FileKind.TABLE);
    byte[] first = disk.bytes(tables.get(0));
    disk.setBytes(tables.get(0), disk.bytes(tables.get(1)));
    disk.setBytes(tables.get(1), first);
    disk.delete(tables.get(2));
    assertThat(verify().damages())
        .extracting(CorruptionException::file)
        .containsExactlyInAnyOrderElementsOf(tables.subList(0, 3));
  }

  @Test
  void whatNothingNamesIsLeftOverAndNoDamage() throws IOException {
    disk.setBytes("000999.tbl", new byte[10]);
    disk.setBytes("CURRENT.new", new byte[1]);
    disk.setBytes("000001.wal", new byte[0]);
    Verification found = verify();
    assertThat(found.damaged()).isFalse();
    assertThat(found.leftovers()).containsExactly("000001.wal", "000999.tbl", "CURRENT.new");
  }

  @Test
  void aTornEndIsNoDamageAndADirectoryWithoutAStoreIsReported() throws IOException {
    String log = names(FileKind.WAL).get(0);
    byte[] bytes = disk.bytes(log);
    disk.setBytes(log, Arrays.copyOf(bytes, bytes.length - 3));
    Verification found = verify();
    assertThat(found.damaged()).isFalse();
    assertThat(found.tornBytes()).isPositive();
    assertThat(found.entries()).isEqualTo(601);
    assertThatThrownBy(() -> StoreVerifier.verify(new MemDisk()))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("holds no store");
  }

  @Test
  void aDirectoryIsVerifiedWithoutAWriteAndNotWhileItIsOpen(@TempDir Path parent)
      throws IOException {
    Path directory = parent.resolve("store");
    try (Store store = Store.open(directory, OPTIONS)) {
      fill(store);
      assertThatThrownBy(() -> Store.verify(directory)).isInstanceOf(LockedException.class);
      store.put(new byte[] {3}, new byte[] {4});
    }
    Map<String, String> before = stamps(directory);
    Verification found = Store.verify(directory);
    assertThat(found.damaged()).as("%s", found).isFalse();
    assertThat(found.entries()).isEqualTo(603);
    assertThat(stamps(directory)).isEqualTo(before);
    Files.delete(directory.resolve("LOCK"));
    assertThat(Store.verify(directory).damaged()).isFalse();
    assertThat(directory.resolve("LOCK")).doesNotExist();
    assertThatThrownBy(() -> Store.verify(parent.resolve("absent")))
        .isInstanceOf(UncheckedIOException.class);
    Store.open(directory, OPTIONS).close();
  }

  private static Map<String, String> stamps(Path directory) throws IOException {
    Map<String, String> stamps = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        stamps.put(
            file.getFileName().toString(),
            Files.getLastModifiedTime(file) + " " + Files.size(file));
      }
    }
    return stamps;
  }
}
