// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.coppice.base.MemoryBudget;
import io.coppice.io.Disk;
import io.coppice.io.ReadBatch;
import io.coppice.io.disk.RealDisk;
import io.coppice.io.uring.FakeRing;
import io.coppice.io.uring.OpenFlags;
import io.coppice.io.uring.Ring;
import io.coppice.testing.Seeds;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a reader does when its ring, the device or the kernel do not do what they should. */
class RingReaderTest {

  private static final int FILES = 8;
  private static final int FILE_BYTES = 200_001;
  private static final int BLOCK = 4_096;
  private static final long NEVER_LATE = TimeUnit.HOURS.toNanos(1);
  private static final long SOON_LATE = TimeUnit.MILLISECONDS.toNanos(5);

  @TempDir private Path directory;
  private final byte[][] contents = new byte[FILES][FILE_BYTES];
  private final List<Disk.InputFile> files = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private final Random random = Seeds.random(Seeds.seed(7), 0);
  private final Logger log = Logger.getLogger("io.coppice.Store");
  private final Handler listener = new Listener();
  private MemoryBudget memory = MemoryBudget.ofMebibytes(64);
  private RealDisk disk;

  @BeforeEach
  void openFiles() throws IOException {
    log.addHandler(listener);
    log.setLevel(Level.WARNING);
    log.setUseParentHandlers(false);
    disk = RealDisk.open(directory.resolve("store"));
    for (int i = 0; i < FILES; i++) {
      random.nextBytes(contents[i]);
      try (Disk.OutputFile file = disk.create("f" + i)) {
        file.write(contents[i], 0, FILE_BYTES);
      }
      files.add(i % 2 == 0 ? disk.map("f" + i) : disk.open("f" + i));
    }
  }

  @AfterEach
  void closeFiles() throws IOException {
    for (Disk.InputFile file : files) {
      file.close();
    }
    disk.close();
    log.removeHandler(listener);
    log.setLevel(null);
    log.setUseParentHandlers(true);
    assertThat(memory.usedBytes()).as("ledger").isZero();
  }

  @Test
  void completionsInAnyOrderGiveTheBytes() throws IOException {
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE)) {
      readAndCheck(reader, 50, 64);
      assertThat(reader.ringReads()).isEqualTo(50 * 64);
      assertThat(reader.demoted()).isNull();
      assertThat(rings.openFiles()).isEqualTo(FILES);
    }
    closeAll();
    assertThat(rings.openFiles()).isZero();
  }

  @Test
  void aBatchOfOpenFilesIsGivenToTheKernelAtOnce() throws IOException {
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE);
        ReadBatch batch = reader.newBatch()) {
      readAndCheck(reader, 5, 64);
      for (int i = 0; i < 17; i++) {
        batch.add(files.get(i % FILES), (long) i * BLOCK, BLOCK);
      }
      rings.first().forgetSubmissions();
      batch.submit();
      batch.awaitAll((1 << 17) - 1);
      for (int i = 0; i < 17; i++) {
        batch.take(i, new byte[BLOCK], 0);
      }
      assertThat(rings.first().submissions())
          .as("operations submitted together")
          .containsExactly(17);
    }
  }

  @Test
  void aReadThatTheDeviceFailsFailsAlone() throws IOException {
    AtomicInteger reads = new AtomicInteger();
    FakeRing.Fault third =
        what ->
            what.kind().equals("read") && reads.incrementAndGet() == 3
                ? what.gives(FakeRing.IO_ERROR)
                : what;
    try (RingReader reader =
            new RingReader(memory, false, new FakeRing.Opener(third, random), NEVER_LATE);
        ReadBatch batch = reader.newBatch()) {
      for (int i = 0; i < 17; i++) {
        batch.add(files.get(1), (long) i * BLOCK, BLOCK);
      }
      batch.submit();
      int failures = 0;
      for (int i = 0; i < 17; i++) {
        batch.await(1L << i);
        byte[] found = new byte[BLOCK];
        try {
          batch.take(i, found, 0);
          assertThat(found).isEqualTo(part(1, i * BLOCK, BLOCK));
        } catch (IOException e) {
          assertThat(e).hasMessageContaining("f1").hasMessageContaining("" + i * BLOCK);
          failures++;
        }
      }
      assertThat(failures).isEqualTo(1);
      assertThat(reader.demoted()).isNull();
    }
  }

  @Test
  void anErrorOfTheRingHandsAllToThePoolForGood() throws IOException {
    AtomicInteger reads = new AtomicInteger();
    FakeRing.Fault fifth =
        what ->
            what.kind().equals("read") && reads.incrementAndGet() >= 5
                ? what.gives(FakeRing.INVALID)
                : what;
    try (RingReader reader =
        new RingReader(memory, false, new FakeRing.Opener(fifth, random), NEVER_LATE)) {
      readAndCheck(reader, 1, 64);
      assertThat(reader.demoted()).contains("error 22");
      int asked = reads.get();
      readAndCheck(reader, 5, 64);
      assertThat(reads.get()).isEqualTo(asked);
      assertThat(reader.describe()).startsWith("pool").contains("demoted=");
    }
    assertThat(warnings).singleElement().asString().contains("io_uring failed").contains("22");
  }

  /**
   * A lock that the ring takes while it gives up may use up the permit of a read that has ended.
   */
  @Test
  void aPermitThatTheRingUsedUpIsNotWaitedFor() throws IOException {
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE);
        ReadBatch batch = reader.newBatch()) {
      readAndCheck(reader, 1, 1);
      rings.hold(true);
      batch.add(files.get(0), 0, BLOCK);
      batch.submit();
      reader.demote("as tested");
      AtomicReference<Thread> waiting = new AtomicReference<>();
      // Only once, and not in the keeper of the rings, which may come first.
      rings
          .first()
          .onRun(
              () -> {
                if (waiting.compareAndSet(Thread.currentThread(), null)) {
                  LockSupport.parkNanos(NEVER_LATE);
                }
              });
      assertTimeoutPreemptively(
          Duration.ofSeconds(60),
          () -> {
            waiting.set(Thread.currentThread());
            batch.await(1);
          });
      rings.hold(false);
      byte[] found = new byte[BLOCK];
      batch.take(0, found, 0);
      assertThat(found).isEqualTo(part(0, 0, BLOCK));
    }
  }

  @Test
  void aRingThatThrowsHandsAllToThePoolForGood() throws IOException {
    AtomicInteger reads = new AtomicInteger();
    FakeRing.Fault ninth =
        what -> {
          if (reads.incrementAndGet() >= 9) {
            throw new IllegalStateException("the ring is broken");
          }
          return what;
        };
    try (RingReader reader =
        new RingReader(memory, false, new FakeRing.Opener(ninth, random), NEVER_LATE)) {
      readAndCheck(reader, 4, 64);
      assertThat(reader.demoted()).contains("the ring is broken");
    }
    assertThat(warnings).hasSize(1);
  }

  @Test
  void aRingThatCannotBeOpenedHandsAllToThePool() throws IOException {
    Ring.Factory none =
        done -> {
          throw new IllegalStateException("no ring");
        };
    try (RingReader reader = new RingReader(memory, false, none, NEVER_LATE)) {
      readAndCheck(reader, 3, 20);
      assertThat(reader.demoted()).contains("no ring");
    }
    assertThat(warnings).hasSize(1);
  }

  @Test
  void aReadThatDoesNotComeIsAskedOfThePoolAndAtTheThirdTimeAllAre() throws IOException {
    AtomicInteger reads = new AtomicInteger();
    FakeRing.Opener rings =
        new FakeRing.Opener(
            what -> what.kind().equals("read") && reads.incrementAndGet() > 3 ? null : what,
            random);
    MemoryBudget lost = MemoryBudget.ofMebibytes(64);
    try (RingReader reader = new RingReader(lost, false, rings, SOON_LATE)) {
      readAndCheck(reader, 10, 17);
      assertThat(reader.demoted()).contains("late");
      assertThat(warnings).hasSize(1);
    }
    // What the kernel has stays its own.
    assertThat(lost.usedBytes(MemoryBudget.Role.READ)).isPositive();
  }

  @Test
  void aReadThatComesShortIsAskedForTheRest() throws IOException {
    FakeRing.Fault shortReads =
        what ->
            what.kind().equals("read") && what.length() > 100 && random.nextInt(3) == 0
                ? what.shortBy(1 + random.nextInt(what.length() - 1))
                : what;
    for (boolean direct : new boolean[] {false, true}) {
      int wrong = 0;
      try (RingReader reader =
              new RingReader(memory, direct, new FakeRing.Opener(shortReads, random), NEVER_LATE);
          ReadBatch batch = reader.newBatch()) {
        for (int round = 0; round < 100; round++) {
          int offset = random.nextInt(FILE_BYTES - BLOCK);
          batch.add(files.get(round % FILES), offset, BLOCK);
          batch.submit();
          batch.await(1);
          byte[] found = new byte[BLOCK];
          try {
            batch.take(0, found, 0);
            assertThat(found).isEqualTo(part(round % FILES, offset, BLOCK));
          } catch (EOFException e) {
            wrong++;
          }
          batch.clear();
        }
        // Twice short within a page is called the end, where pages are read whole.
        assertThat(wrong).isBetween(0, direct ? 40 : 0);
        assertThat(reader.demoted()).isNull();
      }
    }
  }

  @Test
  void aFileSystemThatRefusesDirectReadsIsReadThroughItsCache() throws IOException {
    FakeRing.Fault atOpen =
        what ->
            what.kind().equals("open") && (what.flags() & OpenFlags.NATIVE.direct()) != 0
                ? what.gives(FakeRing.INVALID)
                : what;
    try (RingReader reader =
        new RingReader(memory, true, new FakeRing.Opener(atOpen, random), NEVER_LATE)) {
      readAndCheck(reader, 3, 64);
      assertThat(reader.demoted()).isNull();
      assertThat(reader.ringReads()).isEqualTo(3 * 64);
      assertThat(reader.describe()).endsWith("read=buffered");
    }
  }

  @Test
  void aDeviceThatWantsMoreThanWholePagesIsReadThroughTheCache() throws IOException {
    AtomicInteger reads = new AtomicInteger();
    FakeRing.Fault firstReads =
        what ->
            what.kind().equals("read") && reads.incrementAndGet() < 10
                ? what.gives(FakeRing.INVALID)
                : what;
    try (RingReader reader =
        new RingReader(memory, true, new FakeRing.Opener(firstReads, random), NEVER_LATE)) {
      readAndCheck(reader, 3, 64);
      assertThat(reader.demoted()).isNull();
      assertThat(reader.describe()).endsWith("read=buffered");
    }
  }

  @Test
  void aReadGivenUpNeverWritesToASlotThatAnotherHas() throws IOException {
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE)) {
      readAndCheck(reader, 1, 1);
      ReadBatch given = reader.newBatch();
      ReadBatch kept = reader.newBatch();
      for (int round = 0; round < 50; round++) {
        rings.hold(true);
        int many = 1 + random.nextInt(64);
        for (int i = 0; i < many; i++) {
          given.add(files.get(i % FILES), (long) i * BLOCK / 2, BLOCK);
        }
        given.submit();
        given.clear();
        int[] offsets = new int[64];
        for (int i = 0; i < offsets.length; i++) {
          offsets[i] = random.nextInt(FILE_BYTES - BLOCK);
          kept.add(files.get(i % FILES), offsets[i], BLOCK);
        }
        kept.submit();
        rings.hold(false);
        for (int i = 0; i < offsets.length; i++) {
          kept.await(1L << i);
          byte[] found = new byte[BLOCK];
          kept.take(i, found, 0);
          assertThat(found).isEqualTo(part(i % FILES, offsets[i], BLOCK));
        }
        kept.clear();
      }
    }
  }

  @Test
  void aReadGivenUpWhileItsSlotIsMadeKeepsNoSlot() throws Exception {
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    ReadBatch[] given = new ReadBatch[1];
    CountDownLatch gone = new CountDownLatch(1);
    rings.onMemory =
        () -> {
          given[0].clear();
          gone.countDown();
        };
    RingReader reader = new RingReader(memory, false, rings, NEVER_LATE);
    given[0] = reader.newBatch();
    given[0].add(files.get(0), 0, BLOCK);
    given[0].submit();
    gone.await();
    rings.onMemory = () -> {};
    readAndCheck(reader, 2, 64);
    reader.close();
    // A slot that belongs to nobody would keep the ring, and its memory, for good.
    assertThat(memory.usedBytes()).isZero();
    assertThat(reader.demoted()).isNull();
  }

  @Test
  void whatIsGivenUpIsBroughtHomeThoughNobodyReads() throws Exception {
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE)) {
      rings.hold(true);
      ReadBatch given = reader.newBatch();
      for (int i = 0; i < 17; i++) {
        given.add(files.get(i % FILES), (long) i * BLOCK, BLOCK);
      }
      given.submit();
      given.clear();
      assertThat(reader.inFlight()).isEqualTo(17);
      rings.hold(false);
      while (reader.inFlight() > 0) {
        Thread.sleep(1);
      }
    }
  }

  @Test
  void whoFindsNoRingFreeReadsByThePool() throws IOException {
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE)) {
      rings.hold(true);
      List<ReadBatch> holders = new ArrayList<>();
      for (int i = 0; i < rings.opened(); i++) {
        ReadBatch holder = reader.newBatch();
        holder.add(files.get(0), (long) i * BLOCK, BLOCK);
        holder.submit();
        holders.add(holder);
      }
      readAndCheck(reader, 3, 64);
      assertThat(reader.ringReads()).isZero();
      holders.remove(0).clear();
      rings.hold(false);
      readAndCheck(reader, 3, 64);
      assertThat(reader.ringReads()).isGreaterThanOrEqualTo(3 * 64);
      for (int i = 0; i < holders.size(); i++) {
        byte[] found = new byte[BLOCK];
        holders.get(i).awaitAll(1);
        holders.get(i).take(0, found, 0);
        assertThat(found).isEqualTo(part(0, (i + 1) * BLOCK, BLOCK));
        holders.get(i).close();
      }
    }
  }

  @Test
  void whoWaitsInARingIsWokenByWhatThePoolHasRead() throws IOException {
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE);
        ReadBatch batch = reader.newBatch()) {
      rings.hold(true);
      int tooLong = RingBuffers.BUFFER_BYTES + 1;
      batch.add(files.get(0), 0, BLOCK);
      batch.add(files.get(1), 3, tooLong);
      batch.submit();
      long ended = 0;
      while ((ended & 2) == 0) {
        ended = batch.await(3);
      }
      assertThat(ended).isEqualTo(2);
      byte[] found = new byte[tooLong];
      batch.take(1, found, 0);
      assertThat(found).isEqualTo(part(1, 3, tooLong));
      rings.hold(false);
      batch.awaitAll(1);
    }
  }

  /** What it then waits for may have come home, or been woken for, in that look. */
  @Test
  void whoDidNotSeeTheLastLookOfTheKeeperLooksAgainBeforeItWaits() throws IOException {
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE);
        BlockReadBatch batch = (BlockReadBatch) reader.newBatch()) {
      rings.hold(true);
      batch.add(files.get(0), 0, BLOCK);
      batch.submit();
      ReadRing ring = batch.ring();
      long seen = ring.passes();
      assertThat(ring.keep(NEVER_LATE)).as("something is under way").isTrue();
      assertThat(ring.await(seen)).isTrue();
      assertThat(rings.first().waits()).isZero();
      rings.hold(false);
      batch.awaitAll(1);
    }
  }

  @Test
  void whoWaitsForThePoolAloneDoesNotWaitInARing() throws IOException {
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE);
        ReadBatch batch = reader.newBatch()) {
      rings.hold(true);
      batch.add(files.get(0), 0, BLOCK);
      batch.submit();
      batch.clear();
      batch.add(files.get(1), 3, RingBuffers.BUFFER_BYTES + 1);
      batch.submit();
      batch.awaitAll(1);
      assertThat(rings.first().waits()).isZero();
      rings.hold(false);
    }
  }

  @Test
  void whoWaitsInARingThatIsGivenUpReadsByThePool() throws Exception {
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE)) {
      rings.hold(true);
      CountDownLatch began = new CountDownLatch(1);
      byte[] found = new byte[BLOCK];
      Thread waiter =
          new Thread(
              () -> {
                try (ReadBatch batch = reader.newBatch()) {
                  batch.add(files.get(0), 5, BLOCK);
                  batch.submit();
                  began.countDown();
                  batch.awaitAll(1);
                  batch.take(0, found, 0);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      waiter.start();
      began.await();
      reader.demote("of a test");
      waiter.join();
      assertThat(found).isEqualTo(part(0, 5, BLOCK));
      assertThat(reader.ringReads()).isZero();
      rings.hold(false);
    }
  }

  @Test
  void readsWaitForSlotsWhereTheLedgerIsSmall() throws IOException {
    memory = MemoryBudget.ofBytes(700_000);
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE)) {
      readAndCheck(reader, 20, 64);
      assertThat(reader.ringReads()).isEqualTo(20 * 64);
      assertThat(memory.usedBytes(MemoryBudget.Role.READ)).isLessThan(300_000);
    }
  }

  @Test
  void readsNeedNoLedger() throws IOException {
    memory = MemoryBudget.ofBytes(1_000);
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE)) {
      readAndCheck(reader, 5, 64);
      assertThat(reader.ringReads()).isZero();
      assertThat(reader.demoted()).isNull();
    }
  }

  @Test
  void aFileWhoseNameAnotherHasByNowIsReadAndNotTheOther() throws IOException {
    disk.delete("f2");
    try (Disk.OutputFile other = disk.create("f2")) {
      other.write(contents[3], 0, FILE_BYTES);
    }
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE)) {
      readAndCheck(reader, 3, 64);
    }
  }

  @Test
  void completionsThatNobodyAskedForChangeNothing() throws IOException {
    FakeRing.Opener rings = new FakeRing.Opener(FakeRing.Fault.NONE, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE)) {
      readAndCheck(reader, 2, 64);
      rings.first().strays();
      // One at a time, as a number that is in use again may not be told from its earlier use.
      readAndCheck(reader, 100, 1);
      assertThat(reader.demoted()).isNull();
      assertThat(reader.ringReads()).isEqualTo(2 * 64 + 100);
    }
  }

  @Test
  void aFileThatIsReadThroughThePageCacheIsAdvisedBeforeItsFirstRead() throws IOException {
    for (boolean direct : new boolean[] {false, true}) {
      List<String> kinds = new CopyOnWriteArrayList<>();
      FakeRing.Opener rings =
          new FakeRing.Opener(
              what -> {
                kinds.add(what.kind());
                return what;
              },
              random);
      try (RingReader reader = new RingReader(memory, direct, rings, NEVER_LATE)) {
        readAndCheck(reader, 1, 1);
        readAndCheck(reader, 1, 1);
        kinds.removeIf("advise"::equals);
        if (direct) {
          assertThat(kinds).doesNotContain("advise reads");
        } else {
          assertThat(kinds.subList(0, 3)).containsExactly("open", "advise reads", "read");
        }
      }
    }
  }

  @Test
  void adviceThatIsRefusedChangesNothing() throws IOException {
    FakeRing.Opener rings =
        new FakeRing.Opener(
            what -> what.kind().startsWith("advise") ? what.gives(FakeRing.INVALID) : what, random);
    try (RingReader reader = new RingReader(memory, false, rings, NEVER_LATE)) {
      readAndCheck(reader, 5, 64);
      assertThat(reader.demoted()).isNull();
    }
  }

  @Test
  void aRingThatIsForbiddenIsRefusedByItsReason() {
    assertThat(
            RingProbe.failure(
                done -> {
                  throw new IllegalStateException("forbidden");
                }))
        .contains("forbidden");
    assertThat(warnings).isEmpty();
    FakeRing.Fault wrong =
        what -> what.kind().equals("read") && what.length() == 1 ? what.gives(0) : what;
    assertThat(RingProbe.failure(new FakeRing.Opener(wrong, random))).contains("end");
    assertThat(RingProbe.failure(new FakeRing.Opener(FakeRing.Fault.NONE, random))).isNull();
  }

  private void closeAll() throws IOException {
    for (Disk.InputFile file : files) {
      file.close();
    }
  }

  private void readAndCheck(RingReader reader, int rounds, int size) throws IOException {
    try (ReadBatch batch = reader.newBatch()) {
      for (int round = 0; round < rounds; round++) {
        int[] offsets = new int[size];
        for (int i = 0; i < size; i++) {
          offsets[i] = random.nextInt(FILE_BYTES - BLOCK);
          batch.add(files.get(i % FILES), offsets[i], BLOCK);
        }
        batch.submit();
        for (int i = 0; i < size; i++) {
          batch.await(1L << i);
          byte[] found = new byte[BLOCK];
          batch.take(i, found, 0);
          assertThat(found).isEqualTo(part(i % FILES, offsets[i], BLOCK));
        }
        batch.clear();
      }
    }
  }

  private byte[] part(int file, int offset, int length) {
    return Arrays.copyOfRange(contents[file], offset, offset + length);
  }

  private final class Listener extends Handler {
    @Override
    public void publish(LogRecord entry) {
      if (entry.getLevel() == Level.WARNING) {
        warnings.add(MessageFormat.format(entry.getMessage(), entry.getParameters()));
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
