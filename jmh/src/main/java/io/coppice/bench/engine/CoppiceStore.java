// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.StoreStats;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.workload.Keys;
import java.nio.file.Path;
import java.util.Arrays;

/** Ours, by its public API. */
final class CoppiceStore implements TestedStore {

  /** As the peer's. */
  static final int FILTER_BITS = 10;

  private final Store store;
  private final BenchOptions options;
  private final byte[] value;
  private byte[] found;

  CoppiceStore(Path directory, BenchOptions options) {
    this.options = options;
    this.value = new byte[options.valueBytes()];
    this.store =
        Store.open(
            directory,
            StoreOptions.builder()
                .policy(options.policy())
                .memory(MemoryBudget.ofMebibytes(options.memoryBytes() >> 20))
                .memtableBytes(options.memtableBytes())
                .filterBits(FILTER_BITS)
                .mergeSlots(options.mergeThreads())
                .durability(Durability.BUFFERED)
                .build());
  }

  @Override
  public void put(byte[] key, byte[] pool, int valueFrom, int valueLength) {
    System.arraycopy(pool, valueFrom, value, 0, valueLength);
    store.put(key, value);
  }

  @Override
  public int get(byte[] key) {
    found = store.get(key);
    return found == null ? -1 : found.length;
  }

  @Override
  public boolean found(byte[] pool, int from, int length) {
    return Arrays.equals(found, 0, found.length, pool, from, from + length);
  }

  @Override
  public Scan scan() {
    return new CursorScan(store.cursor(KeyRange.all()));
  }

  @Override
  public void settle() {
    store.flush();
    store.awaitIdle();
  }

  @Override
  public void compact() {
    store.compact();
    store.awaitIdle();
  }

  @Override
  public Counters counters() {
    StoreStats stats = store.stats();
    return new Counters(
        stats.flushes(),
        stats.flushedBytes(),
        stats.mergedBytes(),
        stats.tableBytes(),
        stats.levels().stream().mapToLong(StoreStats.LevelStats::runs).sum());
  }

  @Override
  public String describe() {
    String version = Store.class.getPackage().getImplementationVersion();
    return "Coppice " + (version == null ? "0.1" : version) + ", " + options.policy();
  }

  @Override
  public void close() {
    store.close();
  }

  private record CursorScan(Cursor cursor) implements Scan {
    @Override
    public void first() {
      cursor.first();
    }

    @Override
    public void seek(byte[] key) {
      cursor.seek(key);
    }

    @Override
    public void next() {
      cursor.next();
    }

    @Override
    public boolean valid() {
      return cursor.valid();
    }

    @Override
    public long index() {
      return Keys.index(cursor.key(), 0);
    }

    @Override
    public boolean found(byte[] pool, int from, int length) {
      byte[] value = cursor.value();
      return Arrays.equals(value, 0, value.length, pool, from, from + length);
    }

    @Override
    public void close() {
      cursor.close();
    }
  }
}
