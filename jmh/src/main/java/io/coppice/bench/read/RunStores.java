// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.SearchScheme;
import io.coppice.bench.store.CoppiceStore;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Stores of Coppice for the comparison of search schemes, one for each variant. Stores that may be
 * open together stay open. Used by one thread.
 */
final class RunStores implements AutoCloseable {

  /** Least ratio of a cold store's data to its block cache. */
  static final int CACHE_SHARE = 100;

  private static final long MEMTABLE_BYTES = 1 << 20;

  /** Memory of a store in bytes for indexes, filters and read buffers. */
  private static final long ROOM_BYTES = 256L << 20;

  /**
   * Memory of a store whose data are in memory, per byte of data: for the index, and a block cache
   * of all data.
   */
  private static final int HOT_SHARE = 2;

  private final ReadScale scale;
  private final Path data;
  private final Map<Variant, CoppiceStore> open = new HashMap<>();

  /** Description of the block reader that each closed store had, by variant. */
  private final Map<Variant, String> readers = new HashMap<>();

  RunStores(ReadScale scale, Path data) {
    this.scale = scale;
    this.data = data;
  }

  Path directory(Variant variant) {
    Path dataset = variant.dataset().directory(data);
    return variant.dataset() == Dataset.RUNS ? dataset.resolve(variant.label()) : dataset;
  }

  /**
   * Returns the open store of a variant, and sets its search scheme. The object stays the same
   * until the store is closed.
   */
  CoppiceStore with(Variant variant, String scheme) {
    CoppiceStore store = open.computeIfAbsent(variant, this::open);
    store.store().search(SearchScheme.valueOf(scheme));
    return store;
  }

  /**
   * Passes the description of each store's block reader to a consumer; for a closed store it is
   * that of its last reader.
   */
  void readers(BiConsumer<Variant, String> consumer) {
    open.keySet().forEach(this::noteReader);
    readers.forEach(consumer);
  }

  private void noteReader(Variant variant) {
    readers.put(variant, open.get(variant).store().stats().reader());
  }

  /**
   * Checks that a store still reads its blocks by the requested reader.
   *
   * @throws IllegalStateException if that reader has failed since the store was opened
   */
  void checkReader(Variant variant) {
    noteReader(variant);
    String reader = readers.get(variant);
    if (!variant.reader().equals("auto") && !reader.startsWith(variant.reader())) {
      throw new IllegalStateException(
          variant.label() + " was to be read by " + variant.reader() + ", and is by " + reader);
    }
  }

  /** Closes the store of a variant if it is open. */
  void close(Variant variant) {
    if (open.containsKey(variant)) {
      noteReader(variant);
      open.remove(variant).close();
    }
  }

  private CoppiceStore open(Variant variant) {
    Dataset dataset = variant.dataset();
    boolean hot = variant.temperature() == Variant.Temperature.HOT;
    long bytes = dataset == Dataset.RUNS ? scale.runsBytes() : scale.hotBytes();
    StoreOptions.Builder options =
        CoppiceStore.options(
                dataset.policy(scale),
                ROOM_BYTES + (hot ? HOT_SHARE * bytes : bytes / 10),
                MEMTABLE_BYTES)
            .name(variant.label())
            .filterBits(variant.filters() ? Dataset.FILTER_BITS : 0)
            .reader(variant.reader());
    if (!hot) {
      boolean direct = variant.temperature() == Variant.Temperature.COLD;
      options.blockCacheBytes(bytes / CACHE_SHARE).directReads(direct).io(direct ? "read" : "mmap");
    }
    return new CoppiceStore(
        Store.open(directory(variant), options.build()), variant.label(), dataset.valueBytes());
  }

  @Override
  public void close() {
    open.values().forEach(CoppiceStore::close);
    open.clear();
  }
}
