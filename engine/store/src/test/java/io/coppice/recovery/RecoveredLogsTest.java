// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.Limits;
import io.coppice.base.MemoryBudget;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.base.thread.Workers;
import io.coppice.crash.FailedSyncTrial;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.ReadMode;
import io.coppice.io.disk.RealDisk;
import io.coppice.io.file.MappingBudget;
import io.coppice.table.TableMeta;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecoveredLogsTest {

  private static final byte[] KEY = {1};

  @TempDir private Path directory;

  @Test
  void aNewestLogOfWhichNothingReachedTheDiskDoesNotBecomeAnOlderOne() throws IOException {
    MemDisk disk = new MemDisk();
    Store store = TestStores.open(disk, StoreOptions.defaults());
    store.write(new WriteBatch().put(KEY, KEY), Durability.SYNC);
    MemDisk found = disk.crash();
    store.close();
    long log =
        found.list().stream()
            .mapToLong(name -> FileKind.WAL.numberOf(name).orElse(0))
            .max()
            .orElseThrow();
    found.setBytes(FileKind.WAL.fileName(log + 1), new byte[0]);

    for (int crashes = 0; crashes < 3; crashes++) {
      try (Store recovered = TestStores.open(found, StoreOptions.defaults())) {
        assertThat(recovered.get(KEY)).isEqualTo(KEY);
        found = found.crash();
      }
    }
  }

  /** On a real disk the log that is written ends in zeros, which one with a successor must not. */
  @Test
  void aLogThatASuccessorFollowsEndsWithItsRecords() throws IOException {
    StoreOptions options = StoreOptions.builder().memtableBytes(64 << 10).build();
    Path first = directory.resolve("first");
    int keys = 0;
    List<Path> copies = new ArrayList<>();
    try (Store store =
        TestStores.open(
            RealDisk.open(first, ReadMode.MMAP, MappingBudget.of(100)),
            options,
            new SeededWorkers(1))) {
      // Nothing is flushed before a worker takes a step.
      while (logs(first) < 2) {
        store.put(key(keys++), KEY);
      }
      copies.add(copy(first));
    }
    // What recovery keeps becomes an older log too, and again.
    for (int life = 0; life < 3; life++) {
      Path found = copies.get(life);
      try (Store store =
          TestStores.open(
              RealDisk.open(found, ReadMode.MMAP, MappingBudget.of(100)),
              options,
              new SeededWorkers(1))) {
        assertThat(keysIn(store)).isEqualTo(keys);
        store.put(key(keys++), KEY);
        copies.add(copy(found));
      }
    }
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  private static int keysIn(Store store) {
    int keys = 0;
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        assertThat(cursor.key()).isEqualTo(key(keys++));
      }
    }
    return keys;
  }

  private static long logs(Path store) throws IOException {
    try (Stream<Path> files = Files.list(store)) {
      return files.filter(file -> file.toString().endsWith(".wal")).count();
    }
  }

  /** What a process that died now would leave. */
  private static Path copy(Path store) throws IOException {
    Path target = Files.createTempDirectory(store.getParent(), "copy");
    try (Stream<Path> files = Files.list(store)) {
      for (Path file : files.toList()) {
        if (!file.endsWith("LOCK")) {
          Files.copy(file, target.resolve(file.getFileName()));
        }
      }
    }
    return target;
  }

  @Test
  void aStoreOpensWithItsOwnMemoryWhenManyFamiliesHaveALittleInTheirLogs() throws IOException {
    MemDisk disk = new MemDisk();
    MemDisk found;
    try (Store store = TestStores.open(disk, ofMemory(64), new SeededWorkers(1))) {
      WriteBatch batch = new WriteBatch();
      for (int i = 0; i < 50; i++) {
        batch.put(store.createFamily("family-" + i), KEY, key(i));
      }
      store.write(batch, Durability.SYNC);
      found = disk.crash();
    }
    for (int crashes = 0; crashes < 2; crashes++) {
      try (Store store = TestStores.open(found, ofMemory(64), new SeededWorkers(1))) {
        for (int i = 0; i < 50; i++) {
          assertThat(store.family("family-" + i).get(KEY)).isEqualTo(key(i));
        }
        store.put(KEY, KEY);
        found = found.crash();
      }
    }
  }

  /** Their chunks take more than the entries. */
  @Test
  void aStoreOpensWithItsOwnMemoryWhenItsLogsFillTwoMemtables() throws IOException {
    MemDisk disk = new MemDisk();
    MemDisk found;
    int keys = 278;
    try (Store store = TestStores.open(disk, ofMemory(48), new SeededWorkers(1))) {
      for (int i = 0; i < keys; i++) {
        store.put(key(i), new byte[120_000]);
      }
      store.write(new WriteBatch().put(key(keys++), KEY), Durability.SYNC);
      found = disk.crash();
      assertThat(store.stats().flushes()).isZero();
    }
    try (Store store = TestStores.open(found, ofMemory(48), new SeededWorkers(1))) {
      assertThat(keysIn(store)).isEqualTo(keys);
    }
  }

  /** Workers of which the system has only so many. */
  private static final class FewWorkers implements Workers {
    private final SeededWorkers workers = new SeededWorkers(1);
    private final List<String> running = new ArrayList<>();
    private final int most;

    FewWorkers(int most) {
      this.most = most;
    }

    @Override
    public Worker start(String name, Task task) {
      if (running.size() == most) {
        throw new OutOfMemoryError("no thread for " + name);
      }
      Worker worker = workers.start(name, task);
      running.add(name);
      return new Worker() {
        @Override
        public void wake() {
          worker.wake();
        }

        @Override
        public void close() {
          worker.close();
          running.remove(name);
        }
      };
    }

    @Override
    public Condition condition(ReentrantLock lock) {
      return workers.condition(lock);
    }

    @Override
    public void giveWay() {
      workers.giveWay();
    }

    @Override
    public long nanoTime() {
      return workers.nanoTime();
    }
  }

  @Test
  void aStoreThatGetsTooFewThreadsGivesAllBack() throws IOException {
    MemDisk disk = new MemDisk();
    MemDisk found;
    try (Store store = TestStores.open(disk, ofMemory(64), new SeededWorkers(1))) {
      store.write(new WriteBatch().put(KEY, KEY), Durability.SYNC);
      found = disk.crash();
    }
    List<String> missed = new ArrayList<>();
    boolean opened = false;
    for (int most = 0; !opened; most++) {
      FewWorkers workers = new FewWorkers(most);
      StoreOptions options = ofMemory(64);
      MemDisk tried = found.crash();
      try (Store store = TestStores.open(tried, options, workers)) {
        opened = true;
        assertThat(store.get(KEY)).isEqualTo(KEY);
      } catch (OutOfMemoryError e) {
        missed.add(e.getMessage());
      }
      assertThat(workers.running).as("after %s", missed).isEmpty();
      assertThat(tried.openFiles()).as("after %s", missed).isZero();
      assertThat(TestStores.memory(options).usedBytes()).as("after %s", missed).isZero();
    }
    assertThat(missed).anyMatch(name -> name.endsWith("-log"));
    assertThat(missed).anyMatch(name -> name.endsWith("-flush"));
  }

  private static StoreOptions ofMemory(int mebibytes) {
    return StoreOptions.builder()
        .memory(MemoryBudget.ofMebibytes(mebibytes))
        .memtableBytes(16 << 20)
        .blockCacheBytes(0)
        .build();
  }

  @Test
  void rangeDeletionsOfALogAreFlushedByTheirNumberToo() throws IOException {
    MemDisk disk = new MemDisk();
    int count = 5_000;
    MemDisk found;
    try (Store store = TestStores.open(disk, ofMemory(48), new SeededWorkers(1))) {
      WriteBatch batch = new WriteBatch();
      for (int i = 0; i < count; i++) {
        store.put(key(i), KEY);
        if (i % 2 == 1) {
          batch.deleteRange(key(i), key(i + 1));
        }
      }
      for (int i = count; i < 2 * count; i++) {
        batch.deleteRange(key(2 * i), key(2 * i + 1));
      }
      store.write(batch, Durability.SYNC);
      found = disk.crash();
    }
    try (Store store = TestStores.open(found, ofMemory(48), new SeededWorkers(1))) {
      List<TableMeta> tables =
          List.copyOf(TestStores.versions(store.family("default")).current().tables());
      assertThat(tables.stream().mapToLong(TableMeta::rangeDeletions).sum())
          .isEqualTo(count + count / 2);
      for (TableMeta table : tables) {
        assertThat(table.rangeDeletions()).isLessThanOrEqualTo(Limits.MAX_MEMTABLE_RANGES);
      }
      for (int i = 0; i < count; i++) {
        assertThat(store.get(key(i)) == null).as("key %d is deleted", i).isEqualTo(i % 2 == 1);
      }
    }
  }

  @Test
  void whatAFailedSyncLeftInMemoryOnlyReachesTheDiskWhenTheStoreIsOpenedAgain() throws IOException {
    new FailedSyncTrial(disk -> disk).run();
  }
}
