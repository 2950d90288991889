// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.LockedException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.ReadOnlyException;
import io.coppice.io.Disk;
import io.coppice.io.MemDisk;
import io.coppice.io.TapDisk;
import io.coppice.load.NumberedWrites;
import io.coppice.recovery.Verification;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two stores on one directory, in spite of the lock: one of them has it, the other stops. */
class StoreOwnershipTest {

  private static final NumberedWrites WRITES = new NumberedWrites(200);

  @TempDir Path parent;

  private static StoreOptions options() {
    return StoreOptions.builder()
        .policy("leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=1")
        .memory(MemoryBudget.ofMebibytes(16))
        .memtableBytes(64 << 10)
        .build();
  }

  private static void assertLost(Runnable write) {
    assertThatThrownBy(write::run)
        .isInstanceOf(ReadOnlyException.class)
        .hasStackTraceContaining("was taken by another store")
        .hasRootCauseInstanceOf(LockedException.class);
  }

  private static Map<String, String> contents(Path directory) throws IOException {
    Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        contents.put(
            file.getFileName().toString(),
            Files.size(file) + " " + Arrays.hashCode(Files.readAllBytes(file)));
      }
    }
    return contents;
  }

  @Test
  void whoLosesTheLockFailsBeforeItTouchesWhatTheOtherWrote() throws Exception {
    Path directory = parent.resolve("store");
    Store loser = Store.open(directory, options());
    for (int number = 0; number < 700; number++) {
      WRITES.write(loser, number, Durability.BUFFERED);
    }
    WRITES.write(loser, 700, Durability.SYNC);
    // The system drops the lock with the first channel on the file that is closed.
    FileChannel.open(directory.resolve("LOCK"), StandardOpenOption.READ).close();

    Process other = ChildStore.start(directory, "701", "900");
    assertThat(ChildStore.line(other)).isEqualTo("open, the first 701 are there");
    assertThat(ChildStore.line(other)).isEqualTo("wrote");
    assertLost(() -> WRITES.write(loser, 5_000, Durability.SYNC));
    assertLost(() -> loser.put(new byte[] {1}, new byte[] {2}));
    assertThatThrownBy(loser::flush).isInstanceOf(ReadOnlyException.class);
    other.getOutputStream().close();
    assertThat(other.waitFor()).isZero();

    Map<String, String> theirs = contents(directory);
    loser.close();
    Map<String, String> after = contents(directory);
    assertThat(after).isEqualTo(theirs);
    Verification found = Store.verify(directory);
    assertThat(found.damaged()).as("%s", found).isFalse();
    try (Store store = Store.open(directory, options())) {
      assertThat(NumberedWrites.same(NumberedWrites.contents(store), WRITES.after(900))).isTrue();
    }
  }

  @Test
  void aCopyOfAnOpenDirectoryIsAStoreOfItsOwn() throws IOException {
    Path directory = parent.resolve("store");
    Path copy = Files.createDirectory(parent.resolve("copy"));
    try (Store store = Store.open(directory, options())) {
      for (int number = 0; number < 300; number++) {
        WRITES.write(store, number, Durability.BUFFERED);
      }
      store.flush();
      store.awaitIdle();
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.filter(path -> !path.endsWith("LOCK")).toList()) {
          copyIfThere(file, copy.resolve(file.getFileName()));
        }
      }
      try (Store other = Store.open(copy, options())) {
        WRITES.write(store, 300, Durability.SYNC);
        WRITES.write(other, 300, Durability.SYNC);
        store.flush();
        other.flush();
        assertThat(NumberedWrites.same(NumberedWrites.contents(other), WRITES.after(301))).isTrue();
      }
      assertThat(NumberedWrites.same(NumberedWrites.contents(store), WRITES.after(301))).isTrue();
    }
  }

  /** A log that a flush has made needless may go while the directory is copied. */
  private static void copyIfThere(Path file, Path to) throws IOException {
    try {
      Files.copy(file, to);
    } catch (NoSuchFileException e) {
      assertThat(file.toString()).endsWith(".wal");
    }
  }

  @Test
  void aStoreWhoseDirectoryIsExchangedForACopyStops() throws IOException {
    Path directory = parent.resolve("store");
    Path aside = parent.resolve("aside");
    Store store = Store.open(directory, options());
    for (int number = 0; number < 300; number++) {
      WRITES.write(store, number, Durability.SYNC);
    }
    Files.move(directory, aside);
    Files.createDirectory(directory);
    try (Stream<Path> files = Files.list(aside)) {
      for (Path file : files.toList()) {
        Files.copy(file, directory.resolve(file.getFileName()));
      }
    }
    Map<String, String> copied = contents(directory);
    assertLost(() -> WRITES.write(store, 300, Durability.SYNC));
    store.close();
    assertThat(contents(directory)).isEqualTo(copied);
    try (Store again = Store.open(directory, options())) {
      assertThat(NumberedWrites.same(NumberedWrites.contents(again), WRITES.after(300))).isTrue();
    }
  }

  @Test
  void aTouchedCurrentIsStillItsOwn() throws IOException {
    Path directory = parent.resolve("store");
    try (Store store = Store.open(directory, options())) {
      Files.setLastModifiedTime(directory.resolve("CURRENT"), FileTime.fromMillis(1_000_000));
      store.put(new byte[] {1}, new byte[] {2});
      store.flush();
      Files.delete(directory.resolve("CURRENT"));
      assertLost(() -> store.put(new byte[] {2}, new byte[] {3}));
      assertThat(store.get(new byte[] {1})).containsExactly(2);
    }
  }

  /**
   * A second store opens the disk of the first before each of its operations in turn. What the
   * first acknowledged as synced the second has, and what the second then writes stays.
   */
  @Test
  void whoeverComesInTheMiddleOfAnOperationHasAllThatWasSynced() throws IOException {
    int moments = 0;
    for (int moment = 3; takeOverAt(moment); moment += 1 + moment / 12) {
      moments++;
    }
    assertThat(moments).isGreaterThan(25);
  }

  private static boolean takeOverAt(int moment) throws IOException {
    MemDisk disk = new MemDisk();
    AtomicReference<Store> second = new AtomicReference<>();
    int[] operations = {0};
    int[] acknowledged = {0};
    List<Throwable> problems = new ArrayList<>();
    TestStores.open(shared(disk), options()).close();
    Runnable tap =
        () -> {
          synchronized (operations) {
            if (++operations[0] == moment) {
              try {
                second.set(TestStores.open(shared(disk), options()));
              } catch (IOException | RuntimeException e) {
                problems.add(e);
              }
            }
          }
        };
    Store loser = null;
    try {
      loser = TestStores.open(new TapDisk(shared(disk), tap), options());
      for (int number = 0; number < 150; number++) {
        WRITES.write(loser, number, Durability.SYNC);
        acknowledged[0] = number + 1;
        if (number % 50 == 49) {
          loser.flush();
        }
      }
    } catch (IOException | RuntimeException e) {
      if (loser != null || !(e instanceof NoSuchFileException)) {
        assertThat(e).as("moment " + moment).hasStackTraceContaining("was taken by another store");
      }
    }
    assertThat(problems).as("moment " + moment).isEmpty();
    if (second.get() == null) {
      loser.close();
      return false;
    }
    try (Store store = second.get()) {
      NavigableMap<byte[], byte[]> shown = NumberedWrites.contents(store);
      boolean all = NumberedWrites.same(shown, WRITES.after(acknowledged[0]));
      boolean oneMore = NumberedWrites.same(shown, WRITES.after(acknowledged[0] + 1));
      assertThat(all || oneMore).as("moment " + moment + ", " + acknowledged[0]).isTrue();
      store.put(new byte[] {7}, new byte[] {8});
      if (loser != null) {
        loser.close();
      }
      store.flush();
      store.compact();
      assertThat(store.get(new byte[] {7})).containsExactly(8);
    }
    try (Store store = TestStores.open(shared(disk), options())) {
      assertThat(store.get(new byte[] {7})).containsExactly(8);
      assertThat(NumberedWrites.contents(store).size())
          .isBetween(
              WRITES.after(acknowledged[0]).size(), WRITES.after(acknowledged[0] + 1).size() + 2);
    }
    return true;
  }

  /** The disk, which does not close with any of its stores. */
  private static Disk shared(MemDisk disk) {
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (proxy, method, arguments) -> {
              try {
                return method.getName().equals("close") ? null : method.invoke(disk, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Opens a store in a process of its own, writes, and waits until its input ends. */
  static final class ChildStore {

    private ChildStore() {}

    static Process start(Path directory, String from, String to) throws IOException {
      return new ProcessBuilder(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  ChildStore.class.getName(),
                  directory.toString(),
                  from,
                  to))
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
    }

    static String line(Process process) throws IOException {
      BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
      return reader.readLine();
    }

    public static void main(String[] args) throws IOException {
      int from = Integer.parseInt(args[1]);
      try (Store store = Store.open(Path.of(args[0]), options())) {
        boolean same = NumberedWrites.same(NumberedWrites.contents(store), WRITES.after(from));
        System.out.println(same ? "open, the first " + from + " are there" : "open, and differs");
        for (int number = from; number < Integer.parseInt(args[2]); number++) {
          WRITES.write(store, number, Durability.BUFFERED);
        }
        store.sync();
        System.out.println("wrote");
        while (System.in.read() >= 0) {
          continue;
        }
      }
    }
  }
}
