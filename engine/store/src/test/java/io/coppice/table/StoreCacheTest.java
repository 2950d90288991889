// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.StoreStats.CacheStats;
import io.coppice.TestStores;
import io.coppice.base.CorruptionException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.MemoryBudget.Role;
import io.coppice.io.Disk;
import io.coppice.io.MemDisk;
import io.coppice.io.PassingDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What of a store goes through the cache of blocks, and what past it. */
class StoreCacheTest {

  private static final int KEYS = 4000;

  private final MemoryBudget memory = MemoryBudget.ofMebibytes(24);

  @AfterEach
  void nothingIsHeldInTheEnd() {
    assertThat(memory.usedBytes()).isZero();
  }

  private StoreOptions.Builder options() {
    return StoreOptions.builder()
        .policy("leveled,table_size=64KiB")
        .memory(memory)
        .memtableBytes(256 << 10)
        .durability(Durability.NONE);
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  private static void fill(Store store) {
    for (int i = 0; i < KEYS; i++) {
      store.put(key(i), ("the value of key " + i + " ").repeat(4).getBytes());
    }
    store.flush();
    store.compact();
    store.awaitIdle();
  }

  private static CacheStats readTwice(Store store) {
    CacheStats first = null;
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < KEYS; i += 7) {
        assertThat(new String(store.get(key(i)))).startsWith("the value of key " + i + " ");
      }
      first = first == null ? store.stats().cache() : first;
    }
    CacheStats then = store.stats().cache();
    assertThat(then.inserts()).isEqualTo(first.inserts());
    assertThat(then.misses()).isEqualTo(first.misses());
    return then;
  }

  /** A disk whose mappings may be suspended, and whose pages always seem to be in memory. */
  private static final class SuspendingDisk extends PassingDisk {
    private final AtomicLong reads = new AtomicLong();
    private volatile boolean suspended;

    SuspendingDisk() {
      super(new MemDisk());
    }

    @Override
    public InputFile map(String name) throws IOException {
      return new PassingInput(super.map(name)) {
        @Override
        public boolean mapped() {
          return !suspended;
        }

        @Override
        public void read(long position, byte[] target, int offset, int length) throws IOException {
          reads.incrementAndGet();
          super.read(position, target, offset, length);
        }
      };
    }
  }

  /** The pages of such blocks may be evicted, however likely they seem to be in memory. */
  @Test
  void whatASuspensionCachedIsReadFromTheCacheAfterIt() throws IOException {
    SuspendingDisk disk = new SuspendingDisk();
    try (Store store = TestStores.open(disk, options().build())) {
      fill(store);
      disk.suspended = true;
      CacheStats cached = readTwice(store);
      assertThat(cached.inserts()).isPositive();
      disk.suspended = false;
      long before = disk.reads.get();
      CacheStats after = readTwice(store);
      assertThat(disk.reads.get()).isEqualTo(before);
      assertThat(after.hits()).isGreaterThan(cached.hits());
    }
  }

  @Test
  void whatIsReadBySystemCallsOrCompressedIsKept(@TempDir Path directory) throws IOException {
    for (String form : new String[] {"read none", "read lz4", "mmap lz4", "mmap zstd"}) {
      String[] words = form.split(" ");
      StoreOptions options =
          options().io(words[0]).compression(NativeCodec.orLz4(words[1])).build();
      try (Store store = Store.open(directory.resolve(form), options)) {
        fill(store);
        assertThat(store.stats().cache()).isEqualTo(new CacheStats(0, 0, 0, 0, 0));
        CacheStats read = readTwice(store);
        assertThat(read.inserts()).as(form).isBetween(50L, 400L).isEqualTo(read.misses());
        assertThat(read.hitRatio()).as(form).isGreaterThan(0.6);
        assertThat(read.bytes()).as(form).isEqualTo(memory.usedBytes(Role.CACHE)).isPositive();
      }
      // Numbers of tables go on, so nothing that is kept is ever mistaken for another block.
      try (Store store = Store.open(directory.resolve(form), options)) {
        fill(store);
        readTwice(store);
      }
    }
  }

  @Test
  void plainTablesBehindMappingsAreNot(@TempDir Path directory) throws IOException {
    try (Store store = Store.open(directory, options().io("mmap").build())) {
      fill(store);
      assertThat(readTwice(store)).isEqualTo(new CacheStats(0, 0, 0, 0, 0));
    }
  }

  @Test
  void mergesAndWalksPassItBy() throws IOException {
    MemDisk disk = new MemDisk();
    try (Store store = TestStores.open(disk, options().build())) {
      fill(store);
      fill(store);
      try (Cursor cursor = store.cursor(KeyRange.all())) {
        int found = 0;
        for (cursor.first(); cursor.valid(); cursor.next()) {
          found++;
        }
        for (cursor.last(); cursor.valid(); cursor.prev()) {
          found--;
        }
        assertThat(found).isZero();
      }
      // A walk keeps the blocks in which a table is entered, no more.
      long tables =
          store.stats().families().get(0).levels().stream().mapToLong(l -> l.segments()).sum();
      assertThat(store.stats().cache().inserts()).isLessThanOrEqualTo(6 * tables);
    }
  }

  /** Spoils a byte of each block of tables that is read. */
  private static final class SpoilingDisk extends PassingDisk {
    private boolean spoiling;

    SpoilingDisk(Disk disk) {
      super(disk);
    }

    @Override
    public InputFile map(String name) throws IOException {
      return new PassingInput(disk.map(name)) {
        @Override
        public void read(long position, byte[] target, int offset, int length) throws IOException {
          super.read(position, target, offset, length);
          if (spoiling) {
            target[offset + length / 2] ^= 1;
          }
        }
      };
    }
  }

  @Test
  void damagedBytesAreNeverKept() throws IOException {
    SpoilingDisk disk = new SpoilingDisk(new MemDisk());
    try (Store store = TestStores.open(disk, options().build())) {
      fill(store);
      disk.spoiling = true;
      for (int i = 0; i < KEYS; i += 100) {
        byte[] key = key(i);
        assertThatThrownBy(() -> store.get(key)).isInstanceOf(CorruptionException.class);
      }
      assertThat(store.stats().cache().inserts()).isZero();
      disk.spoiling = false;
      readTwice(store);
      disk.spoiling = true;
      readTwice(store);
    }
  }
}
