// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.io.DiskOp;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.SpoiltDisk;
import io.coppice.testing.Seeds;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A full memtable is sealed once the worker has made its log durable, or when it has grown. */
class SealTest {

  private static final int VALUE_BYTES = 4 << 10;

  private final SeededWorkers workers = new SeededWorkers(Seeds.seed(5));
  private final MemDisk files = new MemDisk();
  private long logSyncs;
  private int next;

  private final SpoiltDisk watched =
      new SpoiltDisk(
          files,
          SpoiltDisk.Manner.DROPPED,
          (kind, name, site) -> {
            if (kind == DiskOp.Kind.SYNC && FileKind.WAL.numberOf(name).isPresent()) {
              logSyncs++;
            }
            return false;
          });

  private Store open(int memtableMebibytes) throws IOException {
    StoreOptions options =
        StoreOptions.builder()
            .memory(MemoryBudget.ofMebibytes(96))
            .memtableBytes(memtableMebibytes << 20)
            .blockCacheBytes(0)
            .durability(Durability.BUFFERED)
            .build();
    return TestStores.open(watched, options, workers);
  }

  /** Writes one entry after the other up to so many bytes of values in all. */
  private void fill(Store store, long bytes) {
    while ((long) next * VALUE_BYTES < bytes) {
      put(store);
    }
  }

  private void put(Store store) {
    store.put(
        new byte[] {(byte) (next >> 16), (byte) (next >> 8), (byte) next}, new byte[VALUE_BYTES]);
    next++;
  }

  private long logs() throws IOException {
    return files.list().stream().filter(name -> FileKind.WAL.numberOf(name).isPresent()).count();
  }

  @Test
  void aFullMemtableGrowsUntilTheWorkerHasSyncedItsLog() throws IOException {
    try (Store store = open(16)) {
      fill(store, 17 << 20);
      assertThat(logs()).isEqualTo(1);
      long before = logSyncs;
      while (workers.step("-log")) {
        assertThat(logSyncs).isGreaterThan(before);
      }
      assertThat(logSyncs).as("one sync, of all there was").isEqualTo(before + 1);
      put(store);
      assertThat(logs()).isEqualTo(2);
      assertThat(logSyncs).as("the end of the old log, the start of the new").isEqualTo(before + 3);
    }
  }

  @Test
  void aMemtableGrowsByAQuarterAtMost() throws IOException {
    try (Store store = open(16)) {
      fill(store, 19 << 20);
      assertThat(logs()).isEqualTo(1);
      fill(store, 20 << 20);
      assertThat(logs()).isEqualTo(2);
      long second = next;
      while (logs() == 2) {
        put(store);
      }
      assertThat((next - second) * VALUE_BYTES)
          .as("none grows while another waits to be flushed")
          .isLessThan(16 << 20);
      while (workers.step("-flush")) {
        assertThat(files.list()).isNotEmpty();
      }
      assertThat(logs()).isEqualTo(1);
      fill(store, (long) next * VALUE_BYTES + (17 << 20));
      assertThat(logs()).as("the next one grows").isEqualTo(1);
    }
  }

  @Test
  void aSmallMemtableIsSealedAtOnce() throws IOException {
    try (Store store = open(4)) {
      fill(store, 4 << 20);
      assertThat(logs()).isEqualTo(2);
    }
  }

  @Test
  void aMemtableWhoseLogIsSyncedWithEachWriteIsSealedAtOnce() throws IOException {
    try (Store store = open(16)) {
      fill(store, 15 << 20);
      while (logs() == 1) {
        store.write(
            new WriteBatch().put(new byte[] {9, (byte) next++}, new byte[VALUE_BYTES]),
            Durability.SYNC);
      }
      assertThat((long) next * VALUE_BYTES).isLessThan((16 << 20) + 2 * VALUE_BYTES);
    }
  }
}
