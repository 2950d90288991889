// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.workload.Keys;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompactionStyle;
import org.rocksdb.CompressionType;
import org.rocksdb.Env;
import org.rocksdb.FlushJobInfo;
import org.rocksdb.FlushOptions;
import org.rocksdb.HyperClockCache;
import org.rocksdb.Options;
import org.rocksdb.Priority;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.TableProperties;
import org.rocksdb.WriteOptions;

/**
 * RocksDB, leveled, through its published Java binding and by its calls with direct buffers, which
 * are its fastest.
 */
public final class RocksStore implements TestedStore {

  private static final int BLOCK_BYTES = 4096;

  /** Quiet means that so many looks in a row, this far apart, saw nothing pending. */
  private static final int QUIET_LOOKS = 5;

  private static final long LOOK_MILLIS = 5;

  private static final List<String> PENDING =
      List.of(
          "rocksdb.num-running-flushes",
          "rocksdb.num-running-compactions",
          "rocksdb.mem-table-flush-pending",
          "rocksdb.compaction-pending",
          "rocksdb.estimate-pending-compaction-bytes");

  static {
    RocksDB.loadLibrary();
  }

  private final Deque<AutoCloseable> owned = new ArrayDeque<>();
  private final Flushes flushes = own(new Flushes());
  private final BenchOptions options;
  private final RocksDB db;
  private final WriteOptions write;
  private final ReadSession own;
  private final ByteBuffer key = ByteBuffer.allocateDirect(Keys.BYTES);
  private final ByteBuffer value;

  /** Opens one, new or not. */
  public RocksStore(Path directory, BenchOptions options) {
    this.options = options;
    this.value = ByteBuffer.allocateDirect(options.valueBytes());
    try {
      db = own(RocksDB.open(own(dbOptions(options)), directory.toString()));
    } catch (RocksDBException e) {
      throw new IllegalStateException("RocksDB does not open", e);
    }
    write = own(new WriteOptions());
    own = own(session());
  }

  private Options dbOptions(BenchOptions given) {
    BlockBasedTableConfig tables =
        new BlockBasedTableConfig()
            .setBlockSize(BLOCK_BYTES)
            .setFilterPolicy(own(new BloomFilter(CoppiceStore.FILTER_BITS, false)))
            // Lookups take a tenth less time than with its LRU cache.
            .setBlockCache(own(new HyperClockCache(given.cacheBytes(), 0, -1, false)))
            // In the cache, a filter of 600 KB shares a shard of 1 MiB with others: now and then
            // reads take five times as long. So it gets filters and indexes beyond its memory.
            .setCacheIndexAndFilterBlocks(false)
            .setFormatVersion(6);
    Env env = Env.getDefault();
    env.setBackgroundThreads(given.mergeThreads(), Priority.LOW);
    env.setBackgroundThreads(1, Priority.HIGH);
    return new Options()
        .setCreateIfMissing(true)
        .setEnv(env)
        .setCompactionStyle(CompactionStyle.LEVEL)
        .setLevelCompactionDynamicLevelBytes(true)
        .setCompressionType(CompressionType.NO_COMPRESSION)
        .setBottommostCompressionType(CompressionType.NO_COMPRESSION)
        .setWriteBufferSize(given.memtableBytes())
        .setMaxWriteBufferNumber(BenchOptions.MEMTABLES)
        .setMaxBackgroundJobs(given.mergeThreads() + 1)
        .setMaxOpenFiles(-1)
        .setListeners(List.of(flushes))
        .setTableFormatConfig(tables);
  }

  private <T extends AutoCloseable> T own(T closeable) {
    owned.push(closeable);
    return closeable;
  }

  @Override
  public void put(byte[] keyBytes, byte[] pool, int valueFrom, int valueLength) {
    key.clear().put(keyBytes).flip();
    value.clear().put(pool, valueFrom, valueLength).flip();
    try {
      db.put(write, key, value);
    } catch (RocksDBException e) {
      throw new IllegalStateException("RocksDB does not write", e);
    }
  }

  @Override
  public int get(byte[] keyBytes) {
    return own.get(keyBytes);
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
    return new Session(
        db,
        new ReadOptions(),
        ByteBuffer.allocateDirect(Keys.BYTES),
        ByteBuffer.allocateDirect(options.valueBytes()));
  }

  @Override
  public void settle() {
    try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
      db.flush(flush);
    } catch (RocksDBException e) {
      throw new IllegalStateException("RocksDB does not flush", e);
    }
    awaitQuiet();
  }

  @Override
  public void compact() {
    try {
      db.compactRange();
    } catch (RocksDBException e) {
      throw new IllegalStateException("RocksDB does not compact", e);
    }
    awaitQuiet();
  }

  /** Its Java binding has no call that waits, so it is polled. */
  private void awaitQuiet() {
    int quiet = 0;
    while (quiet < QUIET_LOOKS) {
      try {
        boolean pending = false;
        for (String property : PENDING) {
          pending |= db.getLongProperty(property) != 0;
        }
        quiet = pending ? 0 : quiet + 1;
        Thread.sleep(LOOK_MILLIS);
      } catch (RocksDBException e) {
        throw new IllegalStateException("RocksDB does not tell what is pending", e);
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  @Override
  public Counters counters() {
    try {
      long flushed = flushes.bytes.get();
      String written = db.getMapProperty("rocksdb.cfstats").get("compaction.Sum.WriteGB");
      long all = written == null ? 0 : (long) (Double.parseDouble(written) * (1L << 30));
      return new Counters(
          flushes.count.get(),
          flushed,
          all - flushed,
          db.getLongProperty("rocksdb.total-sst-files-size"),
          sortedRuns());
    } catch (RocksDBException e) {
      throw new IllegalStateException("RocksDB does not tell its figures", e);
    }
  }

  private long sortedRuns() throws RocksDBException {
    long runs = Long.parseLong(db.getProperty("rocksdb.num-files-at-level0"));
    for (int level = 1; level < db.numberLevels(); level++) {
      runs += db.getProperty("rocksdb.num-files-at-level" + level).equals("0") ? 0 : 1;
    }
    return runs;
  }

  @Override
  public String describe() {
    return "RocksDB "
        + RocksDB.rocksdbVersion()
        + " by rocksdbjni, leveled, "
        + (options.cacheBytes() >> 20)
        + " MiB block cache (hyper clock)";
  }

  @Override
  public void close() {
    while (!owned.isEmpty()) {
      try {
        owned.pop().close();
      } catch (Exception e) {
        throw new IllegalStateException("RocksDB does not close", e);
      }
    }
  }

  /** Counts flushes; its own figures mix them with merges inside level 0. */
  private static final class Flushes extends AbstractEventListener {
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    Flushes() {
      super(EnabledEventCallback.ON_FLUSH_COMPLETED);
    }

    @Override
    public void onFlushCompleted(RocksDB flushed, FlushJobInfo flush) {
      count.incrementAndGet();
      TableProperties table = flush.getTableProperties();
      bytes.addAndGet(table.getDataSize() + table.getIndexSize() + table.getFilterSize());
    }
  }

  private record Session(RocksDB db, ReadOptions read, ByteBuffer key, ByteBuffer value)
      implements ReadSession {
    @Override
    public int get(byte[] keyBytes) {
      key.clear().put(keyBytes).flip();
      value.clear();
      try {
        int length = db.get(read, key, value);
        return length == RocksDB.NOT_FOUND ? -1 : length;
      } catch (RocksDBException e) {
        throw new IllegalStateException("RocksDB does not read", e);
      }
    }

    @Override
    public boolean found(byte[] pool, int from, int length) {
      return value.limit() == length && value.equals(ByteBuffer.wrap(pool, from, length));
    }

    @Override
    public Scan scan() {
      return new IteratorScan(db.newIterator(read), key, value);
    }

    @Override
    public void close() {
      read.close();
    }
  }

  private record IteratorScan(RocksIterator iterator, ByteBuffer key, ByteBuffer value)
      implements Scan {
    @Override
    public void first() {
      iterator.seekToFirst();
    }

    @Override
    public void seek(byte[] target) {
      key.clear().put(target).flip();
      iterator.seek(key);
    }

    @Override
    public void next() {
      iterator.next();
    }

    @Override
    public boolean valid() {
      return iterator.isValid();
    }

    @Override
    public long index() {
      iterator.key(key.clear());
      return key.getLong(0);
    }

    @Override
    public boolean found(byte[] pool, int from, int length) {
      iterator.value(value.clear());
      return value.limit() == length && value.equals(ByteBuffer.wrap(pool, from, length));
    }

    @Override
    public void close() {
      iterator.close();
    }
  }
}
