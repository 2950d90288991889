// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.CoppiceStore;
import io.coppice.bench.store.RocksStore;
import io.coppice.bench.store.TestedStore;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** A store opened in one way, which a process of its own reads. */
enum ReadSide {
  /** Coppice with all data in memory; the next ones are RocksDB's. */
  HOT_FOREST(Dataset.FOREST),
  HOT_ROCKSDB(Dataset.ROCKSDB),
  HOT_LEVELED(Dataset.LEVELED),
  /** Coppice with its default options, in a memory group. */
  GROUPED_FOREST(Dataset.GROUPED_FOREST),
  /** Coppice without file mappings, in a memory group. */
  GROUPED_FOREST_READ(Dataset.GROUPED_FOREST),
  GROUPED_LEVELED(Dataset.GROUPED_LEVELED),
  GROUPED_ROCKSDB(Dataset.GROUPED_ROCKSDB),
  GROUPED_ROCKSDB_DIRECT(Dataset.GROUPED_ROCKSDB),
  GROUPED_ROCKSDB_MAPPED(Dataset.GROUPED_ROCKSDB),
  GROUPED_UNIVERSAL(Dataset.GROUPED_UNIVERSAL);

  private static final long MIB = 1 << 20;
  private static final long MEMTABLE_BYTES = 8 * MIB;

  /** Memory of a store, memtables included, as a multiple of its data. */
  private static final int MEMORY_OF_DATA = 2;

  private static final int MEMTABLES = 3;
  private static final long MIN_HOT_MEMORY = 128 * MIB;

  private final Dataset dataset;

  ReadSide(Dataset dataset) {
    this.dataset = dataset;
  }

  /** Returns the side with this label and memory. */
  static ReadSide named(String label, ReadCell.Memory memory) {
    return valueOf((memory.limited() ? "GROUPED_" : "HOT_") + label.toUpperCase(Locale.ROOT));
  }

  /** Returns the label of the side in row ids. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replaceFirst("[a-z]*_", "");
  }

  Dataset dataset() {
    return dataset;
  }

  /**
   * Opens a data set with the settings of its load. The caller closes it.
   *
   * @throws Exception if the store does not open
   */
  static TestedStore open(Dataset dataset, Path directory, ReadScale scale) throws Exception {
    for (ReadSide side : values()) {
      if (dataset.grouped() && side.dataset == dataset) {
        return side.open(directory, scale);
      }
    }
    long memory =
        Math.max(MIN_HOT_MEMORY, MEMORY_OF_DATA * scale.hotBytes())
            + MEMTABLES * scale.hotMemtableBytes();
    BenchOptions options = options(dataset, scale.hotMemtableBytes(), memory, scale);
    return dataset == Dataset.ROCKSDB
        ? new RocksStore(directory, options)
        : new CoppiceStore(directory, options);
  }

  private static BenchOptions options(
      Dataset dataset, long memtableBytes, long memoryBytes, ReadScale scale) {
    return BenchOptions.parse(
        Map.of(
            "value-size", Integer.toString(dataset.valueBytes()),
            "memtable-size", Long.toString(memtableBytes),
            "memory", Long.toString(memoryBytes),
            "policy", dataset.policy(scale)));
  }

  TestedStore open(Path directory, ReadScale scale) throws Exception {
    if (!dataset.grouped()) {
      return open(dataset, directory, scale);
    }
    long memory = scale.storeBytes();
    return switch (this) {
      case GROUPED_FOREST, GROUPED_FOREST_READ, GROUPED_LEVELED -> {
        String io = this == GROUPED_FOREST_READ ? "read" : "mmap";
        StoreOptions options =
            CoppiceStore.options(dataset.policy(scale), memory, MEMTABLE_BYTES).io(io).build();
        String described = dataset.policy(scale) + ", io=" + io;
        yield new CoppiceStore(Store.open(directory, options), described, dataset.valueBytes());
      }
      default ->
          new RocksStore(
              directory,
              options(dataset, MEMTABLE_BYTES, memory, scale),
              this == GROUPED_UNIVERSAL,
              this == GROUPED_ROCKSDB_DIRECT
                  ? RocksStore.Files.DIRECT
                  : this == GROUPED_ROCKSDB_MAPPED
                      ? RocksStore.Files.MAPPED
                      : RocksStore.Files.PLAIN);
    };
  }
}
