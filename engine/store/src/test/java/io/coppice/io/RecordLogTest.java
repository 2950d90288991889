// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.CorruptionException;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.VersionException;
import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.Bytes;
import io.coppice.io.ErrorDisk.Operation;
import io.coppice.io.file.MappedLogFile;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecordLogTest {

  private static final String NAME = "000005.wal";
  private static final int[] LENGTHS = {1, 30, 700, 5, 1200, 64};

  private final MemDisk disk = new MemDisk();
  private final List<Integer> ends = new ArrayList<>();

  /** Writes records of {@link #LENGTHS}; the k-th is filled with k + 1. */
  private void write(boolean syncEach) throws IOException {
    try (RecordLogWriter log = RecordLogWriter.create(disk, FileKind.WAL, 5)) {
      ends.add((int) log.position());
      for (int i = 0; i < LENGTHS.length; i++) {
        byte[] payload = new byte[LENGTHS[i]];
        Arrays.fill(payload, (byte) (i + 1));
        log.append(payload, 0, payload.length);
        ends.add((int) log.position());
        if (syncEach) {
          log.sync();
        }
      }
    }
  }

  private record Found(int records, long droppedBytes) {}

  private static Found read(MemDisk disk, TornTail tornTail) throws IOException {
    try (RecordLogReader log = RecordLogReader.open(disk, FileKind.WAL, 5, tornTail)) {
      int records = 0;
      while (log.next()) {
        byte[] expected = new byte[LENGTHS[records]];
        Arrays.fill(expected, (byte) (records + 1));
        assertThat(Bytes.copy(log.payload(), 0, log.payloadLength())).isEqualTo(expected);
        records++;
      }
      assertThat(log.next()).isFalse();
      return new Found(records, log.droppedBytes());
    }
  }

  private MemDisk with(byte[] bytes) {
    MemDisk other = new MemDisk();
    other.setBytes(NAME, bytes);
    return other;
  }

  @Test
  void aLogCutAnywhereKeepsItsWholeRecords() throws IOException {
    write(true);
    byte[] whole = disk.bytes(NAME);
    for (int length = 0; length <= whole.length; length++) {
      int end = length;
      int records = (int) ends.stream().filter(e -> e <= end).count() - 1;
      int kept = records < 0 ? 0 : ends.get(records);
      MemDisk cut = with(Arrays.copyOf(whole, length));
      assertThat(read(cut, TornTail.DROP))
          .as("cut to %d", length)
          .isEqualTo(new Found(Math.max(0, records), Math.max(0, endOfWritten(whole, end) - kept)));
      if (kept < length || length == 0) {
        assertThatThrownBy(() -> read(cut, TornTail.REFUSE))
            .isInstanceOf(CorruptionException.class);
      }
    }
  }

  /** The end of the last byte of these that is not zero. */
  private static int endOfWritten(byte[] bytes, int length) {
    int end = length;
    while (end > 0 && bytes[end - 1] == 0) {
      end--;
    }
    return end;
  }

  @Test
  void aTailOfGarbageIsDroppedAndOneOfZerosWasWrittenAhead() throws IOException {
    write(true);
    byte[] whole = disk.bytes(NAME);
    Random random = new Random(3);
    for (int more : new int[] {1, 19, 20, 511, 512, 4096, 70_000}) {
      byte[] ahead = Arrays.copyOf(whole, whole.length + more);
      assertThat(read(with(ahead), TornTail.DROP)).isEqualTo(new Found(LENGTHS.length, 0));
      assertThatThrownBy(() -> read(with(ahead), TornTail.REFUSE))
          .as("zeros in a log that has a successor")
          .isInstanceOf(CorruptionException.class);
      byte[] tail = new byte[more];
      random.nextBytes(tail);
      tail[more - 1] = 1;
      System.arraycopy(tail, 0, ahead, whole.length, more);
      assertThat(read(with(ahead), TornTail.DROP)).isEqualTo(new Found(LENGTHS.length, more));
      assertThatThrownBy(() -> read(with(ahead), TornTail.REFUSE))
          .isInstanceOf(CorruptionException.class);
    }
  }

  @Test
  void zerosBehindAManifestAreATornTail() throws IOException {
    MemDisk other = new MemDisk();
    try (RecordLogWriter log = RecordLogWriter.create(other, FileKind.MANIFEST, 5)) {
      log.append(new byte[] {1}, 0, 1);
    }
    String name = FileKind.MANIFEST.fileName(5);
    byte[] whole = other.bytes(name);
    other.setBytes(name, Arrays.copyOf(whole, whole.length + 100));
    try (RecordLogReader log = RecordLogReader.open(other, FileKind.MANIFEST, 5, TornTail.DROP)) {
      assertThat(log.next()).isTrue();
      assertThat(log.next()).isFalse();
      assertThat(log.droppedBytes()).isEqualTo(100);
    }
  }

  /**
   * What {@link MappedLogFile} copies comes to the disk sector by sector, each as it was at some
   * moment since the last sync, in the middle of a copy perhaps: the log then holds a prefix of its
   * records, at least those that were synced.
   */
  @Test
  void sectorsStoredInTheMiddleOfACopyAreATornTail() throws IOException {
    long seed = Seeds.seed(12);
    int torn = 0;
    for (int trial = 0; trial < 10_000; trial++) {
      Random random = Seeds.random(seed, trial);
      String replay = "trial " + trial + "; " + Seeds.replay(getClass(), seed);
      CopiedLog log = new CopiedLog(random);
      byte[] found = log.atSomeMoments(random);
      try (RecordLogReader reader =
          RecordLogReader.open(with(found), FileKind.WAL, 5, TornTail.DROP)) {
        int records = 0;
        while (reader.next()) {
          assertThat(reader.recordOffset()).as(replay).isEqualTo(log.offset(records));
          records++;
        }
        assertThat(records).as(replay).isGreaterThanOrEqualTo(log.synced());
        torn += reader.torn() ? 1 : 0;
      } catch (CorruptionException e) {
        throw new AssertionError(replay, e);
      }
    }
    assertThat(torn).as("logs with a torn tail").isGreaterThan(1_000);
  }

  @Test
  void aChangedByteInTheMiddleIsDamage() throws IOException {
    for (boolean syncEach : new boolean[] {true, false}) {
      ends.clear();
      disk.delete(NAME);
      write(syncEach);
      byte[] whole = disk.bytes(NAME);
      int lastRecord = ends.get(LENGTHS.length - 1);
      Random random = new Random(4);
      for (int at = 0; at < lastRecord; at++) {
        byte[] bytes = whole.clone();
        bytes[at] ^= (byte) (1 + random.nextInt(255));
        int damaged = 0;
        for (int end : ends) {
          damaged = end <= at ? end : damaged;
        }
        long offset = damaged;
        assertThatThrownBy(() -> read(with(bytes), TornTail.DROP))
            .as("byte %d", at)
            .isInstanceOfSatisfying(
                CorruptionException.class,
                e -> {
                  assertThat(e.file()).isEqualTo(NAME);
                  assertThat(e.offset()).isEqualTo(offset);
                });
      }
    }
  }

  @Test
  void aFlippedBitOfTheLastRecordIsDamage() throws IOException {
    write(true);
    byte[] whole = disk.bytes(NAME);
    int last = ends.get(LENGTHS.length - 1);
    for (int ahead : new int[] {0, 2_000}) {
      for (int bit = 8 * last; bit < 8 * whole.length; bit++) {
        byte[] bytes = Arrays.copyOf(whole, whole.length + ahead);
        bytes[bit / 8] ^= (byte) (1 << bit % 8);
        assertThatThrownBy(() -> read(with(bytes), TornTail.DROP))
            .as("bit %d, %d zeros ahead", bit, ahead)
            .isInstanceOfSatisfying(
                CorruptionException.class, e -> assertThat(e.offset()).isEqualTo(last));
      }
    }
  }

  @Test
  void aLostSectorWithOneBitSetIsATornTail() throws IOException {
    byte[] payload = new byte[1000];
    payload[999] = 1;
    try (RecordLogWriter log = RecordLogWriter.create(disk, FileKind.WAL, 5)) {
      log.append(payload, 0, payload.length);
    }
    byte[] bytes = disk.bytes(NAME);
    bytes[bytes.length - 1] = 0;
    assertThat(read(with(bytes), TornTail.DROP)).isEqualTo(new Found(0, RecordLayout.HEADER_BYTES));
  }

  /** A sector of which garbage came back holds one byte of a header, or of a record, and others. */
  @Test
  void garbageThatBeginsOneBitFromTheTruthIsATornTail() throws IOException {
    // Of the second record the header's last byte, or all of its last, lies in the second sector.
    for (int before : new int[] {RecordLayout.HEADER_BYTES - 1, RecordLayout.HEADER_BYTES + 29}) {
      MemDisk log = new MemDisk();
      try (RecordLogWriter writer = RecordLogWriter.create(log, FileKind.WAL, 5)) {
        int first = 512 - before - RecordLayout.HEADER_BYTES - FileHeader.BYTES;
        writer.append(new byte[first], 0, first);
        writer.append(new byte[30], 0, 30);
        writer.append(new byte[30], 0, 30);
      }
      byte[] bytes = log.bytes(NAME);
      int sector = 512;
      byte kept = bytes[sector];
      new Random(before).nextBytes(bytes);
      System.arraycopy(log.bytes(NAME), 0, bytes, 0, sector);
      bytes[sector] = (byte) (kept ^ 4);
      try (RecordLogReader reader =
          RecordLogReader.open(with(bytes), FileKind.WAL, 5, TornTail.DROP)) {
        assertThat(reader.next()).isTrue();
        assertThat(reader.next()).as("a record that ends in garbage").isFalse();
        assertThat(reader.droppedBytes()).isPositive();
      }
    }
  }

  @Test
  void aLostSectorThatWasNeverSyncedIsATornTail() throws IOException {
    write(false);
    byte[] whole = disk.bytes(NAME);
    for (int sector = 512; sector + 512 <= ends.get(LENGTHS.length - 1); sector += 512) {
      byte[] bytes = whole.clone();
      Arrays.fill(bytes, sector, sector + 512, (byte) 0);
      int lost = sector;
      int records = (int) ends.stream().filter(e -> e <= lost).count() - 1;
      assertThat(read(with(bytes), TornTail.DROP))
          .isEqualTo(new Found(records, whole.length - ends.get(records)));
    }
  }

  @Test
  void aLostSectorThatWasSyncedIsDamage() throws IOException {
    write(true);
    byte[] bytes = disk.bytes(NAME);
    Arrays.fill(bytes, 512, 1024, (byte) 0);
    assertThatThrownBy(() -> read(with(bytes), TornTail.DROP))
        .isInstanceOf(CorruptionException.class);
  }

  @Test
  void aRecordOfAnotherLogIsNotRead() throws IOException {
    write(true);
    MemDisk other = new MemDisk();
    try (RecordLogWriter log = RecordLogWriter.create(other, FileKind.WAL, 6)) {
      log.append(new byte[] {1}, 0, 1);
    }
    byte[] stale = Arrays.copyOfRange(other.bytes("000006.wal"), FileHeader.BYTES, 69);
    byte[] bytes = Arrays.copyOf(disk.bytes(NAME), FileHeader.BYTES + stale.length);
    System.arraycopy(stale, 0, bytes, FileHeader.BYTES, stale.length);
    assertThat(read(with(bytes), TornTail.DROP)).isEqualTo(new Found(0, stale.length));
  }

  @Test
  void aFileOfAnotherKindOrNumberIsRefused() throws IOException {
    for (FileHeader wrong :
        new FileHeader[] {FileHeader.of(FileKind.WAL, 4), FileHeader.of(FileKind.TABLE, 5)}) {
      assertThatThrownBy(() -> read(with(wrong.encode()), TornTail.DROP))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("misplaced");
    }
  }

  @Test
  void aNewerFormatIsRefusedByName() {
    for (FileHeader newer :
        new FileHeader[] {
          new FileHeader(FileKind.WAL, 2, 0, 0, 5), new FileHeader(FileKind.WAL, 1, 4, 0, 5)
        }) {
      assertThatThrownBy(() -> read(with(newer.encode()), TornTail.DROP))
          .isInstanceOf(VersionException.class)
          .hasMessageContaining(NAME);
    }
  }

  @Test
  void featuresThatMayBeIgnoredAre() throws IOException {
    byte[] bytes = new FileHeader(FileKind.WAL, 1, 0, -1, 5).encode();
    assertThat(read(with(bytes), TornTail.DROP)).isEqualTo(new Found(0, 0));
  }

  @Test
  void afterAFailedWriteOrSyncTheLogTakesNothingMore() throws IOException {
    for (Operation operation : new Operation[] {Operation.WRITE, Operation.SYNC}) {
      MemDisk memory = new MemDisk();
      ErrorDisk errors = new ErrorDisk(memory);
      RecordLogWriter log = RecordLogWriter.create(errors, FileKind.WAL, 5);
      log.append(new byte[] {1}, 0, 1);
      log.sync();
      errors.fail(operation, 1, false);
      assertThatThrownBy(
              () -> {
                log.append(new byte[] {2}, 0, 1);
                log.sync();
              })
          .isInstanceOf(IOException.class);
      int length = memory.bytes(NAME).length;
      assertThatThrownBy(() -> log.append(new byte[] {3}, 0, 1))
          .isInstanceOf(ReadOnlyException.class)
          .hasMessageContaining(NAME)
          .hasRootCauseMessage(operation + " " + NAME + ": " + ErrorDisk.MESSAGE);
      assertThatThrownBy(log::sync).isInstanceOf(ReadOnlyException.class);
      assertThat(memory.bytes(NAME)).hasSize(length);
      log.close();
      assertThat(memory.openFiles()).isZero();
    }
  }

  @Test
  void largeRecordsAndThoseOfManyPartsAreReadWhole() throws IOException {
    Random random = new Random(5);
    List<byte[]> written = new ArrayList<>();
    try (RecordLogWriter log = RecordLogWriter.create(disk, FileKind.WAL, 5)) {
      for (int length : new int[] {65_515, 65_516, 65_517, 200_000, 1, 65_536}) {
        byte[] payload = new byte[length];
        random.nextBytes(payload);
        written.add(payload);
        if (random.nextBoolean()) {
          log.append(payload, 0, length);
        } else {
          log.append(parts(payload, random));
        }
      }
    }
    try (RecordLogReader log = RecordLogReader.open(disk, FileKind.WAL, 5, TornTail.REFUSE)) {
      for (byte[] payload : written) {
        assertThat(log.next()).isTrue();
        assertThat(Bytes.copy(log.payload(), 0, log.payloadLength())).isEqualTo(payload);
      }
      assertThat(log.next()).isFalse();
    }
  }

  private static List<ByteSink> parts(byte[] payload, Random random) {
    List<ByteSink> parts = new ArrayList<>();
    for (int from = 0; from < payload.length; ) {
      int count = Math.min(payload.length - from, 1 + random.nextInt(100_000));
      parts.add(new ByteSink(count).bytes(payload, from, count));
      from += count;
    }
    return parts;
  }
}
