// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.StoreStats;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Ours, by its public API. */
public final class CoppiceStore implements TestedStore {

  /** As the peer's. */
  static final int FILTER_BITS = 10;

  private final Store store;
  private final String description;
  private final byte[] value;
  private final ReadSession own;

  /** Opens one. */
  public CoppiceStore(Path directory, BenchOptions options) {
    this(Store.open(directory, storeOptions(options)), options.policy(), options.valueBytes());
  }

  /**
   * Takes one that is open, and closes it.
   *
   * @param description of its options
   */
  public CoppiceStore(Store store, String description, int valueBytes) {
    this.store = store;
    this.description = description;
    this.value = new byte[valueBytes];
    this.own = session();
  }

  private static StoreOptions storeOptions(BenchOptions options) {
    return StoreOptions.builder()
        .policy(options.policy())
        .memory(MemoryBudget.ofMebibytes(options.memoryBytes() >> 20))
        .memtableBytes(options.memtableBytes())
        .filterBits(FILTER_BITS)
        .mergeSlots(options.mergeThreads())
        .durability(Durability.BUFFERED)
        .build();
  }

  /** The store itself. */
  public Store store() {
    return store;
  }

  @Override
  public void put(byte[] key, byte[] pool, int valueFrom, int valueLength) {
    System.arraycopy(pool, valueFrom, value, 0, valueLength);
    store.put(key, value);
  }

  @Override
  public int get(byte[] key) {
    return own.get(key);
  }

  @Override
  public boolean found(byte[] pool, int from, int length) {
    return own.found(pool, from, length);
  }

  @Override
  public Scan scan() {
    return own.scan();
  }

  @Override
  public ReadSession session() {
    return new Session(store, ByteBuffer.allocateDirect(value.length));
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
    return "Coppice " + (version == null ? "0.1" : version) + ", " + description;
  }

  @Override
  public void close() {
    store.close();
  }

  private record Session(Store store, ByteBuffer value) implements ReadSession {
    @Override
    public int get(byte[] key) {
      return store.getInto(key, value);
    }

    @Override
    public boolean found(byte[] pool, int from, int length) {
      return value.equals(ByteBuffer.wrap(pool, from, length));
    }

    @Override
    public Scan scan() {
      return new CursorScan(store.cursor(KeyRange.all()));
    }

    @Override
    public void close() {
      // Nothing but the buffer is its own.
    }
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
      ByteBuffer key = cursor.keyView();
      return key.getLong(key.position());
    }

    @Override
    public boolean found(byte[] pool, int from, int length) {
      return cursor.valueView().equals(ByteBuffer.wrap(pool, from, length));
    }

    @Override
    public void close() {
      cursor.close();
    }
  }
}
