// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.coppice.base.ClosedException;
import io.coppice.io.ChildJvm;
import io.coppice.io.Disk;
import io.coppice.io.ReadMode;
import io.coppice.io.file.DescriptorBudget;
import io.coppice.io.file.LostPageProbe;
import io.coppice.io.file.MappedFile;
import io.coppice.io.file.MappingBudget;
import io.coppice.io.file.PageResidencyTracker;
import io.coppice.io.file.PositionalFile;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RealDiskTest {

  private static final int LENGTH = 1 << 16;

  @TempDir private Path parent;
  private final MappingBudget budget = MappingBudget.of(2);
  private RealDisk disk;
  private Path directory;

  @BeforeEach
  void open() throws IOException {
    disk = RealDisk.open(parent.resolve("a").resolve("store"), ReadMode.MMAP, budget);
    directory = Path.of(disk.describe());
  }

  @AfterEach
  void close() throws IOException {
    disk.close();
    assertThat(budget.used()).isZero();
  }

  private byte[] write(String name) throws IOException {
    byte[] bytes = new byte[LENGTH];
    new Random(name.hashCode()).nextBytes(bytes);
    try (Disk.OutputFile file = disk.create(name)) {
      file.write(bytes, 0, bytes.length);
      file.sync();
    }
    return bytes;
  }

  private static void assertReads(Disk.InputFile file, byte[] expected) throws IOException {
    byte[] found = new byte[LENGTH];
    file.read(0, found, 0, LENGTH);
    assertThat(found).isEqualTo(expected);
  }

  /** Each sync is interrupted once, before, in or after it. */
  @Test
  void anInterruptEndsNoSyncOfADirectory() throws IOException {
    Thread syncing = Thread.currentThread();
    AtomicInteger begun = new AtomicInteger();
    Thread interrupting =
        new Thread(
            () -> {
              for (int next = 1; next <= 500; next++) {
                while (begun.get() < next) {
                  Thread.onSpinWait();
                }
                syncing.interrupt();
              }
            });
    interrupting.start();
    try {
      for (int i = 0; i < 500; i++) {
        begun.incrementAndGet();
        PrivateFiles.syncDirectory(directory);
      }
    } finally {
      begun.set(500);
      while (interrupting.isAlive()) {
        Thread.onSpinWait();
      }
      assertThat(Thread.interrupted()).as("the interrupt is still set").isTrue();
    }
  }

  @Test
  void filesAndDirectoryAreTheOwnersOnly() throws IOException {
    assumeTrue(
        directory.getFileSystem().supportedFileAttributeViews().contains("posix"),
        "SKIPPED: no POSIX permissions here");
    write("f");
    disk.openSlots("s").close();
    assertThat(mode(directory)).isEqualTo("rwx------");
    for (String name : List.of("f", "s", "LOCK")) {
      assertThat(mode(directory.resolve(name))).as(name).isEqualTo("rw-------");
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void aMappedFileIsInTheMapsOfTheProcessUntilItIsClosed() throws IOException {
    Path maps = Path.of("/proc/self/maps");
    assumeTrue(Files.exists(maps), "SKIPPED: no /proc/self/maps here");
    byte[] bytes = write("f");
    String path = directory.resolve("f").toString();
    Disk.InputFile file = disk.map("f");
    assertReads(file, bytes);
    assertThat(Files.readString(maps)).contains(path);
    file.close();
    assertThat(Files.readString(maps)).doesNotContain(path);
    try (RealDisk other = RealDisk.open(parent.resolve("b"), ReadMode.READ, MappingBudget.of(2))) {
      other.create("g").close();
      try (Disk.InputFile unmapped = other.map("g")) {
        assertThat(unmapped).isInstanceOf(PositionalFile.class);
      }
    }
  }

  @Test
  void beyondTheBudgetFilesAreReadAtPositions() throws IOException {
    List<Disk.InputFile> files = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      byte[] bytes = write("f" + i);
      Disk.InputFile file = disk.map("f" + i);
      assertThat(file).isInstanceOf(i < 2 ? MappedFile.class : PositionalFile.class);
      assertReads(file, bytes);
      files.add(file);
    }
    assertThat(budget.used()).isEqualTo(2);
    for (Disk.InputFile file : files) {
      file.close();
    }
  }

  @Test
  void theInterruptOfOneReaderDisturbsNoOther() throws Exception {
    byte[] bytes = write("f");
    try (Disk.InputFile mapped = disk.map("f");
        Disk.InputFile opened = disk.open("f");
        Disk.InputFile slots = disk.openSlots("f")) {
      for (Disk.InputFile file : List.of(mapped, opened, slots)) {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
          Future<?> victim = pool.submit(() -> readInterrupted(file, bytes));
          Future<?> bystander =
              pool.submit(
                  () -> {
                    for (int i = 0; i < 200; i++) {
                      assertReads(file, bytes);
                    }
                    return null;
                  });
          victim.get();
          bystander.get();
        } finally {
          pool.shutdown();
        }
      }
    }
  }

  private static Void readInterrupted(Disk.InputFile file, byte[] bytes) throws IOException {
    Thread reader = Thread.currentThread();
    Thread interrupter =
        new Thread(
            () -> {
              for (int i = 0; i < 300; i++) {
                reader.interrupt();
                Thread.yield();
              }
            });
    interrupter.start();
    boolean seen = false;
    while (interrupter.isAlive()) {
      assertReads(file, bytes);
      seen |= Thread.interrupted();
    }
    seen |= Thread.interrupted();
    assertThat(seen).as("the interrupt is kept for its owner").isTrue();
    return null;
  }

  @Test
  void anInterruptedThreadWritesAndSyncs() throws IOException {
    Thread.currentThread().interrupt();
    byte[] bytes = write("f");
    disk.syncDirectory();
    try (Disk.SlotFile slots = disk.openSlots("s")) {
      slots.write(0, bytes, 0, 10);
      slots.sync();
    }
    assertThat(Thread.interrupted()).isTrue();
    try (Disk.InputFile file = disk.open("f")) {
      assertReads(file, bytes);
    }
  }

  @Test
  void aFileThatTookAnothersNameIsNotOpenedInItsPlace() throws IOException {
    write("f");
    write("g");
    Path path = directory.resolve("f");
    Object key = PositionalFile.keyOf(path);
    PositionalFile.open(path, key).close();
    disk.rename("g", "f");
    assertThatThrownBy(() -> PositionalFile.open(path, key))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("another file");
  }

  @Test
  void aFileBeyondTheBudgetOfDescriptorsIsOpenedForEachRead() throws IOException {
    byte[] bytes = write("f");
    Path path = directory.resolve("f");
    DescriptorBudget budget = new DescriptorBudget(1);
    PageResidencyTracker watch = new PageResidencyTracker();
    try (PositionalFile kept = PositionalFile.open(path, false, watch, budget);
        PositionalFile brief = PositionalFile.open(path, false, watch, budget)) {
      assertThat(budget.used()).isEqualTo(1);
      assertThat(brief.length()).isEqualTo(bytes.length);
      Thread.currentThread().interrupt();
      assertReads(brief, bytes);
      assertThat(Thread.interrupted()).isTrue();
      assertReads(kept, bytes);
      write("g");
      disk.rename("g", "f");
      assertThatThrownBy(() -> brief.read(0, new byte[1], 0, 1))
          .isInstanceOf(NoSuchFileException.class);
      assertReads(kept, bytes);
    }
    assertThat(budget.used()).isZero();
  }

  @Test
  void readersMayBeInsideWhileAMappedFileIsClosed() throws Exception {
    byte[] bytes = write("f");
    ExecutorService pool = Executors.newFixedThreadPool(2);
    try {
      for (int round = 0; round < 50; round++) {
        Disk.InputFile file = disk.map("f");
        CountDownLatch started = new CountDownLatch(2);
        List<Future<?>> readers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          readers.add(pool.submit(() -> readUntilClosed(file, bytes, started)));
        }
        started.await();
        file.close();
        for (Future<?> reader : readers) {
          reader.get();
        }
        assertThat(budget.used()).isZero();
      }
    } finally {
      pool.shutdown();
    }
  }

  private static Void readUntilClosed(Disk.InputFile file, byte[] bytes, CountDownLatch started)
      throws IOException {
    byte[] found = new byte[64];
    try {
      for (int i = 0; ; i = (i + 64) % LENGTH) {
        file.read(i, found, 0, 64);
        assertThat(found[7]).isEqualTo(bytes[i + 7]);
        started.countDown();
      }
    } catch (ClosedException e) {
      return null;
    }
  }

  @Test
  void aLostPageIsNeverTakenForDataNorEndsTheProcess() throws Exception {
    assumeTrue(Files.exists(Path.of("/proc/self/maps")), "SKIPPED: not on Linux");
    Process probe = ChildJvm.start(LostPageProbe.class, parent.resolve("lost").toString());
    assertThat(probe.inputReader().readLine()).isEqualTo("mapped, accepted 0");
    assertThat(probe.waitFor()).isZero();
  }

  @Test
  void linksAreNotFollowed() throws IOException {
    Path secret = Files.writeString(parent.resolve("secret"), "secret");
    Files.createSymbolicLink(directory.resolve("l"), secret);
    Files.createSymbolicLink(directory.resolve("dangling"), parent.resolve("nowhere"));
    assertThatThrownBy(() -> disk.open("l")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> disk.map("l")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> disk.openSlots("l")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> disk.create("dangling"))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(parent.resolve("nowhere")).doesNotExist();
  }

  @Test
  void onlyPlainNamesAreTaken() {
    for (String name : List.of("../f", "a/b", "/f", "", ".", "..", "LOCK")) {
      assertThatThrownBy(() -> disk.create(name))
          .as(name)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + name + "'");
    }
  }

  @Test
  void theLockIsNotListed() throws IOException {
    write("f");
    assertThat(directory.resolve("LOCK")).exists();
    assertThat(disk.list()).containsExactly("f");
  }

  @Test
  void aClosedDiskIsNotUsedButItsFilesAre() throws IOException {
    byte[] bytes = write("f");
    try (Disk.InputFile file = disk.map("f")) {
      disk.close();
      assertReads(file, bytes);
      assertThatThrownBy(() -> disk.open("f")).isInstanceOf(ClosedException.class);
      assertThatThrownBy(() -> disk.list()).isInstanceOf(ClosedException.class);
    }
  }
}
