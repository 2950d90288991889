// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.Counter;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.MetricRegistryListener;
import io.coppice.base.CorruptionException;
import io.coppice.base.Durability;
import io.coppice.base.LockedException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.ReadOnlyException;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.Refusing;
import io.coppice.io.TapDisk;
import io.coppice.load.NumberedWrites;
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
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store opened for reading shows what recovery would, and writes nothing. */
class StoreReadOnlyTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.builder()
          .policy("leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=1")
          .memory(MemoryBudget.ofMebibytes(16))
          .memtableBytes(64 << 10)
          .build();

  private final NumberedWrites writes = new NumberedWrites(300);

  /** A store in the middle of its work, killed. */
  private MemDisk killed(int count) throws IOException {
    MemDisk disk = new MemDisk();
    try (Store store = Store.open(disk, OPTIONS)) {
      for (int number = 0; number < count; number++) {
        writes.write(store, number, Durability.BUFFERED);
      }
      return disk.kill();
    }
  }

  private static Store reading(MemDisk disk) throws IOException {
    return Store.openReadOnly(Refusing.writes(disk), OPTIONS);
  }

  @Test
  void aRegistryThatRefusesFiguresLeavesTheDirectoryFree(@TempDir Path directory) {
    Store.open(directory, OPTIONS).close();
    MetricRegistry registry = new MetricRegistry();
    registry.addListener(
        new MetricRegistryListener.Base() {
          @Override
          public void onCounterAdded(String name, Counter counter) {
            throw new IllegalStateException("no room for " + name);
          }
        });
    StoreOptions refused = StoreOptions.builder().metrics(registry).build();
    assertThatThrownBy(() -> Store.openReadOnly(directory, refused))
        .isInstanceOf(IllegalStateException.class);
    Store.open(directory, OPTIONS).close();
  }

  @Test
  void itShowsTablesAndLogsWithoutOneWrite() throws IOException {
    MemDisk disk = killed(2_500);
    assertThat(disk.list()).anyMatch(name -> FileKind.WAL.numberOf(name).isPresent());
    long before = OPTIONS.memory.usedBytes();
    try (Store store = reading(disk)) {
      assertThat(NumberedWrites.same(NumberedWrites.contents(store), writes.after(2_500))).isTrue();
      for (int key = 0; key < 300; key++) {
        byte[] expected = writes.after(2_500).get(NumberedWrites.key(key));
        assertThat(store.get(NumberedWrites.key(key))).isEqualTo(expected);
      }
      try (Snapshot snapshot = store.snapshot();
          Cursor cursor = snapshot.cursor(KeyRange.all())) {
        cursor.last();
        assertThat(cursor.valid()).isTrue();
      }
      assertThat(store.stats().tableBytes()).isPositive();
      assertThat(store.stats().levels()).isNotEmpty();
    }
    assertThat(disk.openFiles()).isZero();
    assertThat(OPTIONS.memory.usedBytes()).isEqualTo(before);
  }

  @Test
  void whatWouldChangeItIsRefusedInClearWords() throws IOException {
    MemDisk disk = killed(100);
    try (Store store = reading(disk)) {
      List<Runnable> changes =
          List.of(
              () -> store.put(new byte[] {1}, new byte[] {2}),
              () -> store.delete(new byte[] {1}),
              () -> store.write(new WriteBatch().put(new byte[1], new byte[1])),
              store::sync,
              store::flush,
              store::compact,
              store::awaitIdle);
      for (Runnable change : changes) {
        assertThatThrownBy(change::run)
            .isInstanceOf(ReadOnlyException.class)
            .hasMessage(
                "memory was opened for reading, which changes nothing; open it by Store.open");
      }
      assertThat(NumberedWrites.contents(store)).hasSameSizeAs(writes.after(100));
    }
  }

  /** Before each operation of a store at work the disk is what a killed process leaves. */
  @Test
  void itShowsAtEveryMomentWhatOpeningWouldRecover() throws IOException {
    MemDisk disk = new MemDisk();
    List<MemDisk> states = new ArrayList<>();
    int[] operations = {0};
    Runnable tap =
        () -> {
          synchronized (states) {
            if (operations[0]++ % 40 == 0) {
              states.add(disk.kill());
            }
          }
        };
    try (Store store = Store.open(new TapDisk(disk, tap), OPTIONS)) {
      for (int number = 0; number < 2_000; number++) {
        writes.write(store, number, Durability.BUFFERED);
      }
      store.compact();
    }
    int shown = 0;
    for (MemDisk state : states) {
      if (!state.list().contains("CURRENT")) {
        assertThatThrownBy(() -> reading(state))
            .isInstanceOfAny(CorruptionException.class, FileSystemException.class);
        continue;
      }
      NavigableMap<byte[], byte[]> found;
      try (Store store = reading(state)) {
        found = NumberedWrites.contents(store);
      }
      try (Store store = Store.open(state.reopen(), OPTIONS)) {
        assertThat(NumberedWrites.same(found, NumberedWrites.contents(store))).isTrue();
      }
      shown++;
    }
    assertThat(shown).isGreaterThan(30);
  }

  @Test
  void logsThatDoNotFitTheMemoryAreRefused() throws IOException {
    MemDisk disk = new MemDisk();
    StoreOptions large = StoreOptions.builder().memtableBytes(16 << 20).build();
    MemDisk killed;
    try (Store store = Store.open(disk, large)) {
      for (int i = 0; i < 40; i++) {
        store.write(
            new WriteBatch().put(new byte[] {(byte) i}, new byte[100_000]), Durability.BUFFERED);
      }
      killed = disk.kill();
    }
    MetricRegistry registry = new MetricRegistry();
    StoreOptions small =
        StoreOptions.builder()
            .memory(MemoryBudget.ofBytes(2 << 20))
            .memtableBytes(64 << 10)
            .metrics(registry)
            .build();
    assertThatThrownBy(() -> Store.openReadOnly(killed, small))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("give it more");
    assertThat(small.memory.usedBytes()).isZero();
    assertThat(killed.openFiles()).isZero();
    assertThat(registry.getNames()).isEmpty();
  }

  @Test
  void damagedFiltersAreDoneWithoutAndDamagedTablesReported() throws IOException {
    MemDisk disk = killed(2_500);
    byte[] filters = disk.bytes("filters.slots");
    filters[50] ^= 1;
    disk.setBytes("filters.slots", filters);
    try (Store store = reading(disk)) {
      assertThat(NumberedWrites.same(NumberedWrites.contents(store), writes.after(2_500))).isTrue();
    }
    disk.reopen().delete("filters.slots");
    try (Store store = reading(disk)) {
      assertThat(NumberedWrites.same(NumberedWrites.contents(store), writes.after(2_500))).isTrue();
    }
    long number = ManifestReader.read(disk.reopen()).state().tables().iterator().next().number();
    String table = FileKind.TABLE.fileName(number);
    disk.delete(table);
    assertThatThrownBy(() -> reading(disk))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining(table);
  }

  @Test
  void writersAreKeptOutAndADirectoryWithoutAStoreIsRefused(@TempDir Path parent)
      throws IOException {
    Path directory = parent.resolve("store");
    try (Store store = Store.open(directory, OPTIONS)) {
      store.put(new byte[] {1}, new byte[] {2});
      assertThatThrownBy(() -> Store.openReadOnly(directory)).isInstanceOf(LockedException.class);
    }
    try (Store store = Store.openReadOnly(directory, OPTIONS)) {
      assertThat(store.get(new byte[] {1})).containsExactly(2);
      assertThatThrownBy(() -> Store.open(directory, OPTIONS))
          .isInstanceOf(LockedException.class)
          .hasMessageContaining("reading");
    }
    assertThatThrownBy(() -> Store.openReadOnly(parent.resolve("absent")))
        .isInstanceOf(UncheckedIOException.class);
    Path empty = Files.createDirectory(parent.resolve("empty"));
    assertThatThrownBy(() -> Store.openReadOnly(empty))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("it holds no store");
    assertThat(empty).isEmptyDirectory();
    Store.open(directory, OPTIONS).close();
  }

  @Test
  void theSystemSeesNoWriteInItsDirectory(@TempDir Path parent) throws Exception {
    Assumptions.assumeTrue(runs("strace", "-f", "-o", "/dev/null", "true"), "strace does not run");
    Path directory = parent.resolve("store");
    try (Store store = Store.open(directory, OPTIONS)) {
      for (int number = 0; number < 1_500; number++) {
        writes.write(store, number, Durability.BUFFERED);
      }
      store.sync();
    }
    Path trace = parent.resolve("trace");
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Process process =
        new ProcessBuilder(
                List.of(
                    "strace",
                    "-f",
                    "-y",
                    "-e",
                    "trace=%file,%desc",
                    "-o",
                    trace.toString(),
                    java.toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-XX:-UsePerfData",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Reading.class.getName(),
                    directory.toString()))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(said).contains("keys " + writes.after(1_500).size());
    String there = directory.toRealPath().toString();
    List<String> touching =
        Files.readAllLines(trace, StandardCharsets.ISO_8859_1).stream()
            .filter(line -> line.contains(there) && !line.contains("execve("))
            .toList();
    assertThat(touching).as("calls that touch the directory").hasSizeGreaterThan(20);
    assertThat(touching).anyMatch(line -> line.contains("openat(") && line.contains(".tbl"));
    assertThat(touching)
        .noneMatch(
            line ->
                line.matches(
                        ".*\\b(write|pwrite64|writev|pwritev2?|ftruncate|truncate|fallocate|unlink"
                            + "|unlinkat|rename|renameat2?|mkdir|mkdirat|rmdir|creat|link|linkat"
                            + "|symlink|symlinkat|chmod|fchmod|fchmodat|utimensat|fsync|fdatasync"
                            + "|msync)\\(.*")
                    || line.matches(".*\\bopen(at)?\\(.*O_(WRONLY|RDWR|CREAT|TRUNC|APPEND).*")
                    || line.matches(".*\\bmmap\\(.*PROT_WRITE.*MAP_SHARED.*"));
  }

  private static boolean runs(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Opens a store for reading in a process of its own and walks over it. */
  static final class Reading {

    private Reading() {}

    public static void main(String[] args) {
      NavigableMap<byte[], byte[]> shown = new TreeMap<>(Arrays::compareUnsigned);
      try (Store store = Store.openReadOnly(Path.of(args[0]), OPTIONS)) {
        shown.putAll(NumberedWrites.contents(store));
        for (byte[] key : shown.keySet()) {
          store.get(key);
        }
        store.stats();
      }
      System.out.println("keys " + shown.size());
    }
  }
}
