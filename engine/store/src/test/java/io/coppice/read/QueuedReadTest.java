// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.ClosedException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.SearchScheme;
import io.coppice.io.BlockReader;
import io.coppice.io.BlockReaderOptions;
import io.coppice.io.Disk;
import io.coppice.io.ReadBatch;
import io.coppice.io.ReadMode;
import io.coppice.io.block.QueueingDisk;
import io.coppice.io.file.MappingBudget;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What happens around reads that wait in the queue of a pool or a ring: their tables are merged
 * away, the store is closed, a caller is interrupted. Nothing of a table goes before they are home.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QueuedReadTest {

  private static final int RUNS = 6;
  private static final int KEYS = 1_000;
  private static final int KEY = 321;

  @TempDir private Path directory;

  private final MemoryBudget memory = MemoryBudget.ofMebibytes(64);
  private final MappingBudget mappings = MappingBudget.of(1_000);
  private QueueingDisk disk;
  private Store store;

  private void openDisk(String reader, String io) throws IOException {
    ReadMode mode = ReadMode.valueOf(io.toUpperCase(Locale.ROOT));
    disk = QueueingDisk.open(directory.resolve("store"), reader, mode, mappings);
  }

  /** A store of which every lookup reads a block of each run at once. */
  private void open(String reader, String io) throws IOException {
    openDisk(reader, io);
    StoreOptions options =
        StoreOptions.builder()
            .policy("leveled,l0_trigger=16,table_size=8KiB,cleaning_threshold=1")
            .memory(memory)
            .memtableBytes(1 << 20)
            .filterBits(0)
            .blockCacheBytes(0)
            .search(SearchScheme.FIXED_COUNT)
            .durability(Durability.BUFFERED)
            .build();
    store = TestStores.open(disk, options);
    fill(0);
  }

  private void fill(int first) {
    for (int run = first; run < first + RUNS; run++) {
      for (int i = 0; i < KEYS; i++) {
        // What is looked up lies in the oldest run only.
        if (run == 0 || i != KEY) {
          store.put(key(i), value(run));
        }
      }
      store.flush();
    }
  }

  @AfterEach
  void leavesNothingBehind() throws IOException {
    assertThat(memory.usedBytes()).as("ledger").isZero();
    assertThat(mappings.used()).as("mappings").isZero();
    assertThat(openDescriptors()).as("descriptors").isZero();
  }

  private List<String> tables() throws IOException {
    return disk.list().stream().filter(name -> name.endsWith(".tbl")).toList();
  }

  @ParameterizedTest
  @CsvSource({"pool,mmap", "pool,read", "ring,mmap", "ring,read"})
  void aTableThatMergesAreDoneWithStaysUntilQueuedReadsAreHome(String reader, String io)
      throws Exception {
    open(reader, io);
    List<String> merged = tables();
    disk.chill();
    disk.hold();
    Call<byte[]> queued = new Call<>(() -> store.get(key(KEY))).queues(RUNS);
    disk.journal().clear();
    store.compact();
    assertThat(tables()).containsAll(merged).hasSizeGreaterThan(merged.size());
    assertThat(disk.journal()).filteredOn(QueuedReadTest::isTableDeleted).isEmpty();
    queued.staysQueued();

    disk.release();
    assertThat(queued.get()).isEqualTo(value(0));
    await(() -> noneOf(merged));

    // With nobody who reads, the same merge deletes what it is done with before it ends.
    fill(RUNS);
    disk.journal().clear();
    store.compact();
    List<String> journal = List.copyOf(disk.journal());
    int lastMade = 0;
    for (int i = 0; i < journal.size(); i++) {
      lastMade = journal.get(i).startsWith("+ ") ? i : lastMade;
    }
    assertThat(journal.subList(0, lastMade)).anyMatch(QueuedReadTest::isTableDeleted);
    store.close();
  }

  private boolean noneOf(List<String> names) {
    try {
      return tables().stream().noneMatch(names::contains);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isTableDeleted(String entry) {
    return entry.startsWith("- ") && entry.endsWith(".tbl");
  }

  @ParameterizedTest
  @CsvSource({"pool,mmap", "pool,read", "ring,mmap", "ring,read"})
  void aStoreThatIsClosedWaitsForQueuedReadsWhichHaveTheirAnswers(String reader, String io)
      throws Exception {
    open(reader, io);
    disk.chill();
    disk.hold();
    Call<byte[]> lookup = new Call<>(() -> store.get(key(KEY))).queues(RUNS);
    Call<byte[]> seek = new Call<>(this::firstKey).queues(2 * RUNS);
    Call<Void> closing =
        new Call<>(
            () -> {
              store.close();
              return null;
            });
    await(this::isClosed);
    lookup.staysQueued();
    seek.staysQueued();
    assertThat(closing.task.isDone()).isFalse();
    assertThat(memory.usedBytes()).isPositive();

    disk.release();
    assertThat(lookup.get()).isEqualTo(value(0));
    // The cursor may be closed between its seek and the look at its key.
    assertThat(seek.get()).isIn(null, key(0));
    closing.get();
    assertThatThrownBy(() -> store.get(key(KEY))).isInstanceOf(ClosedException.class);
  }

  private byte[] firstKey() {
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      cursor.first();
      return cursor.key();
    } catch (ClosedException e) {
      return null;
    }
  }

  private boolean isClosed() {
    try {
      store.stats();
      return false;
    } catch (ClosedException e) {
      return true;
    }
  }

  @ParameterizedTest
  @CsvSource({"pool,mmap", "pool,read", "ring,mmap", "ring,read"})
  void anInterruptTouchesNoReadAndIsKeptForItsCaller(String reader, String io) throws Exception {
    open(reader, io);
    disk.chill();
    disk.hold();
    Call<byte[]> interrupted = new Call<>(() -> store.get(key(KEY))).queues(RUNS);
    Call<byte[]> other = new Call<>(() -> store.get(key(KEY))).queues(2 * RUNS);
    for (int i = 0; i < 100; i++) {
      interrupted.thread.interrupt();
      interrupted.staysQueued();
    }
    other.staysQueued();
    disk.release();
    assertThat(interrupted.get()).isEqualTo(value(0));
    assertThat(other.get()).isEqualTo(value(0));
    assertThat(interrupted.flagged).isTrue();
    assertThat(other.flagged).isFalse();

    // No channel was closed: what comes later is read as before.
    disk.chill();
    assertThat(store.get(key(KEY))).isEqualTo(value(0));
    store.close();
  }

  @ParameterizedTest
  @CsvSource({"pool,mmap", "pool,read", "ring,mmap", "ring,read"})
  void aFileThatIsClosedAndDeletedStaysOpenUntilItsQueuedReadsAreHome(String reader, String io)
      throws Exception {
    openDisk(reader, io);
    byte[] content = new byte[100_000];
    new java.util.Random(7).nextBytes(content);
    for (String name : List.of("a", "b")) {
      try (Disk.OutputFile file = disk.create(name)) {
        file.write(content, 0, content.length);
      }
    }
    try (BlockReader blocks = disk.blockReader(new BlockReaderOptions(reader, false, memory));
        ReadBatch batch = blocks.newBatch()) {
      Disk.InputFile file = disk.map("b");
      disk.hold();
      for (int i = 0; i < RUNS; i++) {
        batch.add(file, 5_000L * i, 4_000);
      }
      batch.submit();
      file.close();
      disk.delete("b");
      assertThatThrownBy(() -> batch.add(file, 0, 10)).isInstanceOf(ClosedException.class);
      assertThat(mappings.used()).isEqualTo(io.equals("mmap") ? 1 : 0);

      disk.release();
      batch.awaitAll((1L << RUNS) - 1);
      for (int i = 0; i < RUNS; i++) {
        byte[] found = new byte[4_000];
        batch.take(i, found, 0);
        assertThat(found).isEqualTo(Arrays.copyOfRange(content, 5_000 * i, 5_000 * i + 4_000));
      }
      assertThat(mappings.used()).isZero();
    }
    disk.close();
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  private static byte[] value(int run) {
    byte[] value = new byte[60];
    Arrays.fill(value, (byte) run);
    return value;
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }

  private long openDescriptors() throws IOException {
    Path own = Path.of("/proc/self/fd");
    long count = 0;
    if (Files.isDirectory(own)) {
      try (DirectoryStream<Path> open = Files.newDirectoryStream(own)) {
        for (Path each : open) {
          count += isOfStore(each) ? 1 : 0;
        }
      }
    }
    return count;
  }

  private boolean isOfStore(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(directory);
    } catch (IOException e) {
      return false;
    }
  }

  /** A call in a thread of its own. */
  private final class Call<T> {

    final FutureTask<T> task;
    final Thread thread;
    volatile boolean flagged;

    Call(Callable<T> action) {
      task =
          new FutureTask<>(
              () -> {
                try {
                  return action.call();
                } finally {
                  flagged = Thread.currentThread().isInterrupted();
                }
              });
      thread = new Thread(task, "caller");
      thread.setDaemon(true);
      thread.start();
    }

    /** Waits until so many reads are in the queue, of this call and those before. */
    Call<T> queues(int reads) {
      await(() -> task.isDone() || disk.queued() >= reads);
      staysQueued();
      return this;
    }

    void staysQueued() {
      if (task.isDone()) {
        try {
          throw new AssertionError("it was to wait, and gave " + task.get());
        } catch (Exception e) {
          throw new AssertionError("it was to wait", e);
        }
      }
    }

    T get() throws Exception {
      return task.get(60, TimeUnit.SECONDS);
    }
  }
}
