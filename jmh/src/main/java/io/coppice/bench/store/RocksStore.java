// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import io.coppice.workload.BenchmarkKeys;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.CompactionOptionsUniversal;
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
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * RocksDB with leveled or universal compaction, through its published Java binding. It uses the
 * binding's fastest calls, those with direct buffers.
 */
public final class RocksStore implements TestedStore {

  private static final int BLOCK_BYTES = 4096;

  private static final int FIRST_LEVEL_TABLES = 5;

  /** Ratio of the first level to a memtable in RocksDB's defaults. */
  private static final int FIRST_LEVEL_MEMTABLES = 4;

  // Universal, as RocksDB's own benchmark script sets it.
  private static final int UNIVERSAL_TRIGGER = 8;
  private static final int UNIVERSAL_SLOWDOWN = 20;
  private static final int UNIVERSAL_STOP = 30;
  private static final int UNIVERSAL_WIDTH = 20;
  private static final int UNIVERSAL_SPACE_PERCENT = 200;

  private static final Pattern STALL =
      Pattern.compile("Cumulative stall: (\\d+):(\\d+):([\\d.]+) H:M:S");

  /** Consecutive samples without pending work after which the store counts as quiet. */
  private static final int QUIET_SAMPLES = 5;

  private static final long SAMPLE_MILLIS = 5;

  /**
   * Consecutive samples without a job after which the store is at rest, even if it reports pending
   * work.
   */
  private static final int IDLE_SAMPLES = 200;

  /**
   * Consecutive samples without a job after which the store is at rest within a load. A load waits
   * for such a rest thousands of times.
   */
  private static final int REST_IDLE_SAMPLES = 50;

  private static final List<String> RUNNING =
      List.of(
          "rocksdb.num-running-flushes",
          "rocksdb.num-running-compactions",
          "rocksdb.mem-table-flush-pending");

  private static final List<String> WANTED =
      List.of("rocksdb.compaction-pending", "rocksdb.estimate-pending-compaction-bytes");

  static {
    RocksDB.loadLibrary();
  }

  /** Ways of RocksDB to read its files. */
  public enum Files {
    /** Read calls through the page cache. */
    PLAIN,
    /** Read calls that bypass the page cache. */
    DIRECT,
    /** Memory mappings of the files. */
    MAPPED
  }

  private final Deque<AutoCloseable> owned = new ArrayDeque<>();
  private final Flushes flushes = own(new Flushes());
  private final BenchOptions options;
  private final boolean universal;
  private final Files files;
  private final RocksDB db;
  private final WriteOptions write;
  private final ReadSession own;
  private final ByteBuffer key = ByteBuffer.allocateDirect(BenchmarkKeys.BYTES);
  private final ByteBuffer value;

  /**
   * Number of flushes when all work had last ended; new background work begins only after a later
   * flush.
   */
  private long restedAt;

  /**
   * Opens a new or existing store with leveled compaction.
   *
   * @throws RocksDBException if RocksDB cannot open it
   */
  public RocksStore(Path directory, BenchOptions options) throws RocksDBException {
    this(directory, options, false, Files.PLAIN);
  }

  /**
   * Opens a new or existing store that reads its files in the given way.
   *
   * @throws RocksDBException if RocksDB cannot open it
   */
  public RocksStore(Path directory, BenchOptions options, boolean universal, Files files)
      throws RocksDBException {
    this.options = options;
    this.universal = universal;
    this.files = files;
    this.value = ByteBuffer.allocateDirect(options.valueBytes());
    db = own(RocksDB.open(own(dbOptions(options)), directory.toString()));
    write = own(new WriteOptions().setSync(options.form().sync()));
    own = own(session());
  }

  private Options dbOptions(BenchOptions given) {
    BlockBasedTableConfig tables =
        new BlockBasedTableConfig()
            .setBlockSize(BLOCK_BYTES)
            // Lookups take a tenth less time than with its LRU cache.
            .setBlockCache(own(new HyperClockCache(given.cacheBytes(), 0, -1, false)))
            // In the cache, a filter of 600 KB shares a shard of 1 MiB with others: now and then
            // reads take five times as long. So it gets filters and indexes beyond its memory.
            .setCacheIndexAndFilterBlocks(false)
            .setFormatVersion(6);
    if (given.form().filterBits() > 0) {
      tables.setFilterPolicy(own(new BloomFilter(given.form().filterBits(), false)));
    }
    Env env = Env.getDefault();
    env.setBackgroundThreads(given.mergeThreads(), Priority.LOW);
    env.setBackgroundThreads(1, Priority.HIGH);
    CompressionType codec =
        given.form().compression().equals("lz4")
            ? CompressionType.LZ4_COMPRESSION
            : CompressionType.NO_COMPRESSION;
    Options made =
        new Options()
            .setCreateIfMissing(true)
            .setEnv(env)
            .setCompressionType(codec)
            .setBottommostCompressionType(codec)
            .setWriteBufferSize(given.memtableBytes())
            .setMaxWriteBufferNumber(BenchOptions.MEMTABLES)
            .setMaxBackgroundJobs(given.mergeThreads() + 1)
            .setMaxOpenFiles(-1)
            .setUseDirectReads(files == Files.DIRECT)
            .setAllowMmapReads(files == Files.MAPPED)
            .setListeners(List.of(flushes))
            .setTableFormatConfig(tables);
    long table = given.form().tableBytes();
    if (table > 0) {
      boolean paper = given.form().paper();
      made.setTargetFileSizeBase(paper ? table : given.memtableBytes())
          .setMaxBytesForLevelBase(
              paper ? FIRST_LEVEL_TABLES * table : FIRST_LEVEL_MEMTABLES * given.memtableBytes());
    }
    return universal
        ? made.setCompactionStyle(CompactionStyle.UNIVERSAL)
            .setLevel0FileNumCompactionTrigger(UNIVERSAL_TRIGGER)
            .setLevel0SlowdownWritesTrigger(UNIVERSAL_SLOWDOWN)
            .setLevel0StopWritesTrigger(UNIVERSAL_STOP)
            .setCompactionOptionsUniversal(own(mergeWidths()))
        : made.setCompactionStyle(CompactionStyle.LEVEL)
            .setLevelCompactionDynamicLevelBytes(!given.form().paper());
  }

  /** Returns the settings of universal compaction in RocksDB's own benchmark script. */
  private static CompactionOptionsUniversal mergeWidths() {
    return new CompactionOptionsUniversal()
        .setMinMergeWidth(2)
        .setMaxMergeWidth(UNIVERSAL_WIDTH)
        .setMaxSizeAmplificationPercent(UNIVERSAL_SPACE_PERCENT);
  }

  /** Returns the underlying RocksDB database. */
  public RocksDB db() {
    return db;
  }

  private <T extends AutoCloseable> T own(T closeable) {
    owned.push(closeable);
    return closeable;
  }

  @Override
  public void put(byte[] keyBytes, byte[] pool, int valueFrom, int valueLength)
      throws RocksDBException {
    key.clear().put(keyBytes).flip();
    value.clear().put(pool, valueFrom, valueLength).flip();
    db.put(write, key, value);
  }

  @Override
  public void putAll(byte[][] keys, byte[] pool, int[] valuesFrom, int valueLength)
      throws RocksDBException {
    try (WriteBatch batch = new WriteBatch()) {
      for (int i = 0; i < keys.length; i++) {
        key.clear().put(keys[i]).flip();
        value.clear().put(pool, valuesFrom[i], valueLength).flip();
        batch.put(key, value);
      }
      db.write(write, batch);
    }
  }

  @Override
  public void delete(byte[] keyBytes) throws RocksDBException {
    db.delete(write, keyBytes);
  }

  @Override
  public ReadSession own() {
    return own;
  }

  @Override
  public ReadSession session() {
    return new Session(
        db,
        new ReadOptions(),
        ByteBuffer.allocateDirect(BenchmarkKeys.BYTES),
        ByteBuffer.allocateDirect(options.valueBytes()));
  }

  @Override
  public long settle() throws RocksDBException, InterruptedException {
    try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
      db.flush(flush);
    }
    return TimeUnit.MILLISECONDS.toNanos(awaitQuiet(QUIET_SAMPLES, IDLE_SAMPLES, SAMPLE_MILLIS));
  }

  @Override
  public void rest() throws RocksDBException, InterruptedException {
    if (restedAt == flushes.count.get() && !reports(RUNNING)) {
      return;
    }
    awaitQuiet(1, REST_IDLE_SAMPLES, 1);
    restedAt = flushes.count.get();
  }

  @Override
  public void compact() throws RocksDBException, InterruptedException {
    db.compactRange();
    awaitQuiet(QUIET_SAMPLES, IDLE_SAMPLES, SAMPLE_MILLIS);
  }

  /**
   * Polls the store until no flush or compaction runs or is pending, because its Java binding has
   * no call that waits.
   *
   * @param samples consecutive samples without pending work that end the wait
   * @param idleSamples consecutive samples without a running job that end the wait too, even if the
   *     store reports pending work
   * @param millis milliseconds between two samples
   * @return milliseconds without work at the end of the wait
   */
  private long awaitQuiet(int samples, int idleSamples, long millis)
      throws RocksDBException, InterruptedException {
    int quiet = 0;
    int idle = 0;
    while (true) {
      boolean running = reports(RUNNING);
      idle = running ? 0 : idle + 1;
      quiet = running || reports(WANTED) ? 0 : quiet + 1;
      if (quiet == samples || idle == idleSamples) {
        return ((quiet == samples ? samples : idleSamples) - 1) * millis;
      }
      Thread.sleep(millis);
    }
  }

  private boolean reports(List<String> properties) throws RocksDBException {
    for (String property : properties) {
      if (db.getLongProperty(property) != 0) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Map<Measure, Long> counters() throws RocksDBException {
    long flushed = flushes.bytes.get();
    return Map.of(
        Measure.FLUSHES, flushes.count.get(),
        Measure.FLUSHED_BYTES, flushed,
        Measure.MERGED_BYTES, gibibytes("compaction.Sum.WriteGB") - flushed,
        Measure.MERGE_READ_BYTES, gibibytes("compaction.Sum.ReadGB"),
        Measure.TABLE_BYTES, db.getLongProperty("rocksdb.total-sst-files-size"),
        Measure.SORTED_RUNS, sortedRuns(),
        Measure.DELAYED_NANOS, stalledNanos());
  }

  private long gibibytes(String figure) throws RocksDBException {
    String value = db.getMapProperty("rocksdb.cfstats").get(figure);
    return value == null ? 0 : (long) (Double.parseDouble(value) * (1L << 30));
  }

  /**
   * Returns the nanoseconds that RocksDB has stalled writers; -1 if unknown. RocksDB's counters
   * would slow down every operation, so this method parses a statistics text that costs nothing.
   */
  private long stalledNanos() throws RocksDBException {
    Matcher stall = STALL.matcher(db.getProperty("rocksdb.dbstats"));
    if (!stall.find()) {
      return -1;
    }
    double seconds =
        3600 * Double.parseDouble(stall.group(1))
            + 60 * Double.parseDouble(stall.group(2))
            + Double.parseDouble(stall.group(3));
    return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
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
    String layout = universal ? "universal" : "leveled";
    String access = files == Files.PLAIN ? "" : ", files " + files.name().toLowerCase(Locale.ROOT);
    return "RocksDB %s by rocksdbjni, %s, %d MiB block cache (hyper clock)%s"
        .formatted(RocksDB.rocksdbVersion(), layout, options.cacheBytes() >> 20, access);
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

  /** Counter of flushes, which RocksDB's own figures mix with compactions inside level 0. */
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
    public int get(byte[] keyBytes) throws RocksDBException {
      key.clear().put(keyBytes).flip();
      value.clear();
      int length = db.get(read, key, value);
      return length == RocksDB.NOT_FOUND ? -1 : length;
    }

    @Override
    public boolean found(byte[] pool, int from, int length) {
      return value.limit() == length && value.equals(ByteBuffer.wrap(pool, from, length));
    }

    @Override
    public ReadSession.Scan scan() {
      return new IteratorScan(db.newIterator(read), key, value);
    }

    @Override
    public void close() {
      read.close();
    }
  }

  private record IteratorScan(RocksIterator iterator, ByteBuffer key, ByteBuffer value)
      implements ReadSession.Scan {
    @Override
    public void first() {
      iterator.seekToFirst();
    }

    @Override
    public void last() {
      iterator.seekToLast();
    }

    @Override
    public void previous() {
      iterator.prev();
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
