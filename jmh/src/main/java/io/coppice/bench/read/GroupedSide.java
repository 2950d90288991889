// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.bench.engine.BenchOptions;
import io.coppice.bench.engine.CoppiceStore;
import io.coppice.bench.engine.RocksStore;
import io.coppice.bench.engine.TestedStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A store, opened in one way, that is read in a memory group. */
enum GroupedSide {
  /** Coppice with its defaults. */
  FOREST(Dataset.GROUPED_FOREST, "mmap", RocksStore.Files.PLAIN),
  /** Coppice without mappings. */
  FOREST_READ(Dataset.GROUPED_FOREST, "read", RocksStore.Files.PLAIN),
  LEVELED(Dataset.GROUPED_LEVELED, "mmap", RocksStore.Files.PLAIN),
  ROCKSDB(Dataset.GROUPED_ROCKSDB, "", RocksStore.Files.PLAIN),
  ROCKSDB_DIRECT(Dataset.GROUPED_ROCKSDB, "", RocksStore.Files.DIRECT),
  ROCKSDB_MAPPED(Dataset.GROUPED_ROCKSDB, "", RocksStore.Files.MAPPED),
  UNIVERSAL(Dataset.GROUPED_UNIVERSAL, "", RocksStore.Files.PLAIN);

  /** RocksDB, leveled, in all modes. */
  static final List<GroupedSide> ROCKS = List.of(ROCKSDB, ROCKSDB_DIRECT, ROCKSDB_MAPPED);

  private static final long MIB = 1 << 20;
  private static final long MEMTABLE_BYTES = 8 * MIB;
  private static final long MIN_MEMORY = 96 * MIB;
  private static final long MIN_HEAP = 128 * MIB;

  private final Dataset dataset;
  private final String io;
  private final RocksStore.Files files;

  GroupedSide(Dataset dataset, String io, RocksStore.Files files) {
    this.dataset = dataset;
    this.io = io;
    this.files = files;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  Dataset dataset() {
    return dataset;
  }

  /** Returns the side that loads a data set. */
  static GroupedSide loading(Dataset dataset) {
    for (GroupedSide side : values()) {
      if (side.dataset == dataset) {
        return side;
      }
    }
    throw new IllegalArgumentException(dataset + " is not read in a group");
  }

  /** Memtables and block cache, a fifth of the smaller group. */
  static long memoryBytes(ReadScale scale) {
    return Math.max(MIN_MEMORY, scale.groupBytes() / 24 * 5);
  }

  /** A fourth of the smaller group. */
  static long heapBytes(ReadScale scale) {
    return Math.max(MIN_HEAP, scale.groupBytes() / 4);
  }

  TestedStore open(Path directory, ReadScale scale) throws Exception {
    long memory = memoryBytes(scale);
    if (!io.isEmpty()) {
      StoreOptions options =
          StoreOptions.builder()
              .policy(dataset.policy(scale))
              .memory(MemoryBudget.ofMebibytes(memory / MIB))
              .memtableBytes(MEMTABLE_BYTES)
              .durability(Durability.BUFFERED)
              .io(io)
              .build();
      String described = dataset.policy(scale) + ", io=" + io;
      return new CoppiceStore(Store.open(directory, options), described, dataset.valueBytes());
    }
    BenchOptions same =
        BenchOptions.parse(
            Map.of(
                "value_size", Integer.toString(dataset.valueBytes()),
                "memtable_size", Long.toString(MEMTABLE_BYTES),
                "memory", Long.toString(memory)),
            List.of());
    return new RocksStore(directory, same, dataset == Dataset.GROUPED_UNIVERSAL, files);
  }
}
