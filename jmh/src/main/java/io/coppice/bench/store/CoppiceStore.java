// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.StoreStats;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.WritePressure;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;

/** A Coppice store, used through its public API. */
public final class CoppiceStore implements TestedStore {

  /**
   * Delay in nanoseconds per byte when the store begins to slow writers, the smallest delay above
   * 0.
   */
  private static final double FASTEST_DELAY = 4;

  private static final double SLOWEST_DELAY = FASTEST_DELAY * 4096;

  private final Store store;
  private final String description;
  private final byte[] value;
  private final ReadSession own;

  /** Opens a Coppice store, new or existing, under the policy of the run's first store. */
  public CoppiceStore(Path directory, BenchOptions options) {
    this(
        Store.open(directory, storeOptions(options, policy(options))),
        policy(options),
        options.valueBytes());
  }

  /**
   * Returns the policy of the run's first store with the table size of the run, unless the policy
   * names a size or the run has none.
   */
  private static String policy(BenchOptions options) {
    String policy = options.stores().get(0).policy();
    long bytes = options.form().tableBytes();
    return bytes == 0 || policy.contains("table_size") ? policy : policy + ",table_size=" + bytes;
  }

  /**
   * Takes over an open store, which {@link #close} closes.
   *
   * @param description description of the store's options, for {@link #describe}
   * @param valueBytes length of the longest value that lookups find
   */
  public CoppiceStore(Store store, String description, int valueBytes) {
    this.store = store;
    this.description = description;
    this.value = new byte[valueBytes];
    this.own = session();
  }

  /** Returns options of a store whose writes are not synced. */
  public static StoreOptions.Builder options(String policy, long memoryBytes, long memtableBytes) {
    return StoreOptions.builder()
        .policy(policy)
        .memory(MemoryBudget.ofBytes(memoryBytes))
        .memtableBytes(memtableBytes)
        .durability(Durability.BUFFERED);
  }

  private static StoreOptions storeOptions(BenchOptions options, String policy) {
    return options(policy, options.memoryBytes(), options.memtableBytes())
        .filterBits(options.form().filterBits())
        .compactionRate(options.form().mergeBytesPerSecond())
        .compactionSlots(options.mergeThreads())
        .compression(options.form().compression())
        .durability(options.form().sync() ? Durability.SYNC : Durability.BUFFERED)
        .build();
  }

  public Store store() {
    return store;
  }

  @Override
  public void put(byte[] key, byte[] pool, int valueFrom, int valueLength) {
    System.arraycopy(pool, valueFrom, value, 0, valueLength);
    store.put(key, value);
  }

  @Override
  public void putAll(byte[][] keys, byte[] pool, int[] valuesFrom, int valueLength) {
    WriteBatch batch = new WriteBatch();
    for (int i = 0; i < keys.length; i++) {
      batch.put(ByteBuffer.wrap(keys[i]), ByteBuffer.wrap(pool, valuesFrom[i], valueLength));
    }
    store.write(batch);
  }

  @Override
  public void delete(byte[] key) {
    store.delete(key);
  }

  @Override
  public ReadSession own() {
    return own;
  }

  @Override
  public ReadSession session() {
    return new Session(store, ByteBuffer.allocateDirect(value.length));
  }

  @Override
  public long settle() {
    store.flush();
    store.awaitIdle();
    return 0;
  }

  @Override
  public void rest() {
    store.awaitIdle();
  }

  @Override
  public void compact() {
    store.compact();
    store.awaitIdle();
  }

  /** Changes to another policy and waits until the policy wants no more work. */
  @Override
  public void policy(String text) {
    store.policy(text);
    store.awaitIdle();
  }

  @Override
  public Map<Measure, Long> counters() {
    StoreStats stats = store.stats();
    long runs = stats.levels().stream().mapToLong(StoreStats.LevelStats::runs).sum();
    return Map.of(
        Measure.FLUSHES, stats.flushes(),
        Measure.FLUSHED_BYTES, stats.flushedBytes(),
        Measure.MERGED_BYTES, stats.mergedBytes(),
        Measure.MERGE_READ_BYTES, stats.mergeReadBytes(),
        Measure.TABLE_BYTES, stats.tableBytes(),
        Measure.SORTED_RUNS, runs,
        Measure.DELAYED_NANOS, stats.stalledNanos(),
        Measure.LOOKUPS, stats.reads().lookups(),
        Measure.TABLES_ASKED, stats.reads().tables(),
        Measure.DELAYS, stats.delays());
  }

  /** Derives the backlog from the delay in force, or from the runs of level 0 if there is none. */
  @Override
  public Pressure pressure() {
    StoreStats stats = store.stats();
    double delay = stats.writeDelayNanosPerByte();
    double share =
        delay < FASTEST_DELAY
            ? 0
            : Math.log(delay / FASTEST_DELAY) / Math.log(SLOWEST_DELAY / FASTEST_DELAY);
    double delayed = delay == 0 ? 0 : WritePressure.FREE + share * (1 - WritePressure.FREE);
    int flushed = stats.levels().isEmpty() ? 0 : stats.levels().get(0).runs();
    double byRuns = Math.min(WritePressure.FREE, WritePressure.ofRuns(flushed));
    return new Pressure(Math.max(delayed, byRuns), stats.mergedBytes());
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
    public ReadSession.Scan scan() {
      return new CursorScan(store.cursor(KeyRange.all()));
    }
  }

  private record CursorScan(Cursor cursor) implements ReadSession.Scan {
    @Override
    public void first() {
      cursor.first();
    }

    @Override
    public void last() {
      cursor.last();
    }

    @Override
    public void previous() {
      cursor.prev();
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
