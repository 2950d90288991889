// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.io.ChildJvm;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.LostLogPageProbe;
import io.coppice.io.ReadMode;
import io.coppice.io.disk.RealDisk;
import io.coppice.testing.Needs;
import io.coppice.testing.Seeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Logs that are appended to through a mapping: as files, on a full disk, and when pages are lost.
 */
class MappedLogFileTest {

  private static final String NAME = "000007.wal";

  @TempDir private Path parent;
  private final MappingBudget budget = MappingBudget.of(1);
  private final long seed = Seeds.seed(5);
  private final Random random = Seeds.random(seed, 0);
  private final ByteArrayOutputStream expected = new ByteArrayOutputStream();
  private RealDisk disk;
  private Path path;

  @BeforeEach
  void open() throws IOException {
    disk = RealDisk.open(parent.resolve("store"), ReadMode.MMAP, budget);
    path = Path.of(disk.describe()).resolve(NAME);
    disk.create("000001.wal").close();
    String type = Files.getFileStore(parent).type();
    Needs.that(List.of("ext4", "xfs", "tmpfs").contains(type), "logs are not mapped on a " + type);
  }

  @AfterEach
  void close() throws IOException {
    disk.close();
    assertThat(budget.used()).as("mappings held at the end").isZero();
  }

  private void append(Disk.OutputFile file, int length) throws IOException {
    byte[] bytes = new byte[length + 7];
    random.nextBytes(bytes);
    file.write(bytes, 3, length);
    expected.write(bytes, 3, length);
    assertThat(file.position()).isEqualTo(expected.size());
  }

  private int someLength() {
    return switch (random.nextInt(20)) {
      case 0 -> 1 + random.nextInt(20);
      case 1 -> MappedLogFile.LONGEST_BYTES - 1 + random.nextInt(3);
      case 2 -> random.nextInt(100_000);
      default -> 1 + random.nextInt(600);
    };
  }

  /** What was appended is at the beginning of the file, and nothing but zeros is behind. */
  private void assertHolds(boolean zerosAhead) throws IOException {
    byte[] found = Files.readAllBytes(path);
    byte[] whole = expected.toByteArray();
    assertThat(Arrays.mismatch(found, Arrays.copyOf(whole, found.length))).isEqualTo(-1);
    assertThat(found.length - whole.length).isBetween(0, zerosAhead ? 1 << 20 : 0);
  }

  @Test
  void whatIsAppendedIsInTheFileAtOnceAndZerosBehindIt() throws IOException {
    try (Disk.OutputFile file = disk.create(NAME)) {
      for (int i = 0; i < 10_000; i++) {
        append(file, someLength());
        if (i % 2_500 == 0) {
          assertHolds(true);
          file.sync();
        }
      }
      assertThat(Files.readString(Path.of("/proc/self/maps"))).contains(path.toString());
      assertThat(budget.used()).isEqualTo(1);
    }
    assertThat(Files.readString(Path.of("/proc/self/maps"))).doesNotContain(path.toString());
    assertHolds(true);
  }

  @Test
  void aCutFileGoesOnWhereItWasCut() throws IOException {
    try (Disk.OutputFile file = disk.create(NAME)) {
      for (int i = 0; i < 300; i++) {
        append(file, someLength());
        if (random.nextInt(5) == 0) {
          int length = random.nextInt(expected.size() + 1);
          byte[] kept = Arrays.copyOf(expected.toByteArray(), length);
          expected.reset();
          expected.write(kept, 0, length);
          file.truncate(length);
          assertHolds(false);
        }
      }
    }
    assertHolds(true);
  }

  @Test
  void logsGoByCallsWhereNoMappingIsLeftOrWanted() throws IOException {
    try (Disk.OutputFile first = disk.create("000002.wal");
        Disk.OutputFile file = disk.create(NAME)) {
      first.write(new byte[] {1}, 0, 1);
      for (int i = 0; i < 100; i++) {
        append(file, someLength());
      }
      assertHolds(false);
    }
    try (RealDisk plain = RealDisk.open(parent.resolve("b"), ReadMode.READ, budget);
        Disk.OutputFile file = plain.create(NAME)) {
      file.write(new byte[] {1}, 0, 1);
      assertThat(Path.of(plain.describe()).resolve(NAME)).hasSize(1);
    }
  }

  @Test
  void aLogThatIsFinishedEndsWhereItsRecordsDoAndGoesOn() throws IOException {
    try (Disk.OutputFile file = disk.create(NAME)) {
      for (int i = 0; i < 100; i++) {
        append(file, 1 + random.nextInt(600));
        if (random.nextInt(5) == 0) {
          file.cutAhead();
          assertHolds(false);
          assertThat(budget.used()).isZero();
        }
      }
      assertThat(Files.size(path)).isGreaterThan(expected.size());
    }
    assertThat(Files.size(path)).as("after closing alone").isGreaterThan(expected.size());
  }

  @Test
  void longPiecesMeetNoZerosThatTheSystemMayBeStoring() throws IOException {
    try (Disk.OutputFile file = disk.create(NAME)) {
      append(file, 10);
      append(file, 2 * MappedLogFile.FIRST_WINDOW_BYTES);
      assertHolds(false);
      append(file, MappedLogFile.LONGEST_BYTES + 1);
      assertHolds(false);
      append(file, MappedLogFile.LONGEST_BYTES);
      assertHolds(true);
      assertThat(budget.used()).isEqualTo(1);
      append(file, MappedLogFile.LONGEST_BYTES + 1);
      assertThat(budget.used()).as("a window that covers it").isEqualTo(1);
    }
    assertHolds(true);
  }

  @Test
  void anInterruptedThreadAppendsAndStaysInterrupted() throws Exception {
    Thread appending = Thread.currentThread();
    AtomicBoolean done = new AtomicBoolean();
    Thread interrupter =
        new Thread(
            () -> {
              while (!done.get()) {
                appending.interrupt();
                Thread.yield();
              }
            });
    boolean seen = false;
    try (Disk.OutputFile file = disk.create(NAME)) {
      interrupter.start();
      for (int i = 0; i < 3_000 || !seen; i++) {
        append(file, 1 + random.nextInt(600));
        seen |= Thread.interrupted();
      }
    } finally {
      done.set(true);
    }
    while (interrupter.isAlive()) {
      Thread.interrupted();
      Thread.yield();
    }
    Thread.interrupted();
    assertHolds(true);
  }

  @Test
  void aFileMayBeClosedWhileItIsAppendedTo() throws Exception {
    for (int round = 0; round < 100; round++) {
      CountDownLatch started = new CountDownLatch(1);
      List<Throwable> ends = new ArrayList<>();
      Disk.OutputFile file = disk.create(FileKind.WAL.fileName(100 + round));
      Thread appending = new Thread(() -> appendUntilClosed(file, started, ends));
      appending.start();
      started.await();
      file.close();
      appending.join();
      assertThat(ends).singleElement().isInstanceOf(IOException.class);
    }
  }

  private static void appendUntilClosed(
      Disk.OutputFile file, CountDownLatch started, List<Throwable> ends) {
    try {
      while (true) {
        file.write(new byte[900], 0, 900);
        started.countDown();
      }
    } catch (IOException | RuntimeException | Error e) {
      ends.add(e);
    }
  }

  @Test
  void aLostPageFailsTheAppendAndEndsNoProcess() throws Exception {
    Process probe = ChildJvm.start(LostLogPageProbe.class, parent.resolve("lost").toString());
    assertThat(probe.inputReader().readLine()).isEqualTo("mapped, 40 of 40 failed, 40 stay so");
    assertThat(probe.waitFor()).isZero();
  }

  @Test
  void aFullDiskIsToldAtTheAppendAndTakesAllThatHasRoom() throws Exception {
    Path small = Files.createDirectory(parent.resolve("small"));
    String problem = run("mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", small.toString());
    Needs.that(problem.isEmpty(), "no file system can be mounted: " + problem.strip());
    try (RealDisk full = RealDisk.open(small.resolve("store"), ReadMode.MMAP, budget)) {
      path = Path.of(full.describe()).resolve(NAME);
      try (Disk.OutputFile file = full.create(NAME)) {
        int before = 0;
        for (int i = 0; i < 3; i++) {
          assertThatThrownBy(
                  () -> {
                    while (true) {
                      append(file, 100);
                    }
                  })
              .hasMessageContaining("No space left");
          assertThat(expected.size()).isGreaterThan(250 << 10).isGreaterThanOrEqualTo(before);
          file.truncate(expected.size());
          before = expected.size();
        }
        file.sync();
        assertHolds(false);
      }
    } finally {
      assertThat(run("umount", small.toString())).isEmpty();
    }
  }

  private static String run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 ? "" : output + " ";
  }
}
