// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.CorruptionException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.thread.Workers;
import io.coppice.entry.EntryCursor;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.table.block.Codecs;
import io.coppice.table.block.OffHeapAllocator;
import io.coppice.table.cache.BlockCache;
import io.coppice.table.cache.BlockCacheOptions;
import io.coppice.table.filter.FilterAllocation;
import io.coppice.table.filter.FilterBuilder;
import io.coppice.table.filter.FilterOptions;
import io.coppice.table.filter.FilterSlot;
import io.coppice.table.filter.FilterTotals;
import io.coppice.table.filter.KeyHash;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The tables that some version names, and finished ones that an edit will name. A table enters when
 * it is finished, before an edit names it. It leaves when it becomes obsolete, after the last
 * version that names it was released. If a store has many tables, the first reader of a table opens
 * its file. Safe to share between threads; {@link #get} takes no lock.
 */
public final class OpenTables implements Closeable {

  /**
   * Bytes of indexes and filters that are loaded while a store is opened. The files of the other
   * tables are opened on their first read, so opening a store is fast even if it is large.
   */
  public static final long WARM_BYTES = 4 << 20;

  /**
   * Bytes that a table counts at least against {@link #WARM_BYTES}, because opening its file has a
   * cost of its own.
   */
  public static final long MIN_WARM_BYTES = 16 << 10;

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /**
   * Initial capacity, in key hashes, when a filter is rebuilt. The array grows only with the keys
   * found, because a damaged table may claim any number of keys.
   */
  private static final int FIRST_HASHES = 1 << 16;

  private final Disk disk;
  private final MemoryBudget budget;
  private final TableOptions options;
  private final OffHeapAllocator allocator = new OffHeapAllocator();

  /** Filter file; null if the store has no filters. */
  private final FilterFile filters;

  /** Filters in memory; null if the store has no filters. */
  private final FilterCache loadedFilters;

  private final AtomicLong filtersRebuilt = new AtomicLong();

  /**
   * Whether only this process removes files; if not, the files of all tables are opened at once.
   */
  private final boolean filesStay;

  /** Remaining bytes of indexes and filters to load during opening. */
  private final AtomicLong coldAfter;

  private final Codecs codecs = new Codecs();
  private final BlockCache cache;

  /** Open tables by number. Replaced as a whole, under the monitor of this. */
  private volatile NumberedTables tables = new NumberedTables(0);

  /** Syncs of complete tables, including some that have started or ended. */
  private final Queue<FutureTask<Void>> unsynced = new ConcurrentLinkedQueue<>();

  /** Sync thread; null if the thread that completes a table also syncs it. */
  private volatile Workers.Worker syncer;

  /** Tables found damaged while the store was opened; the others stay readable. */
  private final Map<Long, CorruptionException> damaged = new ConcurrentHashMap<>();

  /**
   * Creates an instance without tables; null filter options mean those of the filter file, which is
   * then only read.
   */
  private OpenTables(
      Disk disk,
      MemoryBudget budget,
      TableOptions options,
      FilterOptions filterOptions,
      BlockCacheOptions cacheOptions,
      long warmBytes)
      throws IOException {
    this.filesStay = filterOptions != null;
    this.coldAfter = new AtomicLong(warmBytes);
    this.cache = BlockCache.of(budget, allocator, cacheOptions, options.blockBytes());
    this.disk = disk;
    this.budget = budget;
    this.options = options;
    if (filterOptions == null) {
      this.filters = FilterFile.openForReading(disk, budget, allocator);
    } else {
      this.filters =
          filterOptions.enabled() ? FilterFile.open(disk, filterOptions, budget, allocator) : null;
    }
    this.loadedFilters = filters == null ? null : new FilterCache(filters, budget);
  }

  /**
   * Opens the tables of a version, in the order of their filters in the filter file, and waits for
   * that. The caller closes the result. A damaged or missing filter is rebuilt from its table. A
   * damaged table does not prevent the others from opening: it is in {@link #damaged}, and {@link
   * #get} reports it. If there is much data, the remaining tables are opened on their first read,
   * which then reports damage. The caller has checked that all files exist.
   *
   * @param cacheOptions options of the block cache
   * @param warmBytes bytes of indexes and filters to load now
   * @param live tables of the current version, each once
   * @throws IOException if a file cannot be read; all files are closed
   */
  public static OpenTables open(
      Disk disk,
      MemoryBudget budget,
      TableOptions options,
      FilterOptions filterOptions,
      BlockCacheOptions cacheOptions,
      long warmBytes,
      Collection<TableMeta> live)
      throws IOException {
    return open(
        new OpenTables(disk, budget, options, filterOptions, cacheOptions, warmBytes), live);
  }

  /**
   * Opens the tables of a version with {@link #WARM_BYTES} and without a block cache. The caller
   * closes the result.
   */
  public static OpenTables open(
      Disk disk,
      MemoryBudget budget,
      TableOptions options,
      FilterOptions filterOptions,
      Collection<TableMeta> live)
      throws IOException {
    return open(disk, budget, options, filterOptions, BlockCacheOptions.OFF, WARM_BYTES, live);
  }

  /**
   * Opens the tables of a store for reading; the caller closes the result. It only reads, uses
   * filters as they are in their file, and allows no new tables. A table whose filter is damaged or
   * missing has none. The files of all tables are opened at once, because a writing process may
   * remove them.
   */
  public static OpenTables openForReading(
      Disk disk, MemoryBudget budget, BlockCacheOptions cacheOptions, Collection<TableMeta> live)
      throws IOException {
    return open(
        new OpenTables(disk, budget, TableOptions.DEFAULT, null, cacheOptions, WARM_BYTES), live);
  }

  /** Opens the tables of a store for reading, without a block cache. */
  public static OpenTables openForReading(
      Disk disk, MemoryBudget budget, Collection<TableMeta> live) throws IOException {
    return openForReading(disk, budget, BlockCacheOptions.OFF, live);
  }

  private static OpenTables open(OpenTables open, Collection<TableMeta> live) throws IOException {
    try {
      open.openAll(live);
      return open;
    } catch (IOException | RuntimeException | Error e) {
      try {
        open.close();
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  private void openAll(Collection<TableMeta> live) throws IOException {
    List<TableMeta> inSlotOrder = new ArrayList<>(live);
    inSlotOrder.sort(Comparator.comparingInt(meta -> meta.filterSlot().unit()));
    NumberedTables opened = new NumberedTables(inSlotOrder.size());
    tables = opened;
    if (filters != null) {
      for (TableMeta meta : inSlotOrder) {
        filters.claim(meta.filterSlot());
      }
    }
    ManyTables.each(inSlotOrder, meta -> open(meta, opened));
    tables = opened;
  }

  private void open(TableMeta meta, NumberedTables opened) throws IOException {
    try {
      Table table = Table.cold(disk, meta, budget, allocator, codecs, cache, this::bringFilter);
      boolean opens = !filesStay || coldAfter.get() > 0;
      boolean warm = opens && coldAfter.addAndGet(-warmBytes(table.opened())) >= 0;
      if (warm) {
        table.withIndex();
      }
      synchronized (opened) {
        opened.put(table);
      }
      if (warm) {
        bringFilter(table);
      }
    } catch (CorruptionException e) {
      damaged.put(meta.number(), e);
    }
  }

  private static long warmBytes(Table table) {
    return Math.max(MIN_WARM_BYTES, table.coldBytes());
  }

  /** Loads or rebuilds the filter of a table. After a failure the table works without a filter. */
  private void bringFilter(Table table) {
    try {
      openFilter(table);
    } catch (IOException | UncheckedIOException | OutOfMemoryError e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the filter of {0} cannot be loaded or rebuilt, so reads use none: {1}",
          table,
          e);
    }
  }

  private void openFilter(Table table) throws IOException {
    if (filters == null || !table.meta().filterSlot().exists()) {
      return;
    }
    byte[] bytes = filters.read(table);
    if (bytes == null && filters.writable()) {
      bytes = rebuild(table);
      if (bytes != null) {
        filtersRebuilt.incrementAndGet();
      }
    }
    if (bytes != null) {
      loadedFilters.add(table, bytes);
    }
  }

  /** Source of the moment when all present readers have ended. Safe to share between threads. */
  public interface Readers {
    /**
     * Runs the task, in any thread, after all readers have ended that may have found the table by
     * now.
     *
     * @return false if no version names the table now; the task is then not run
     */
    boolean afterPresent(TableMeta table, Runnable task);
  }

  /** Allows the eviction of filters if the memory budget is full; until this call they stay. */
  public void evictFilters(Readers readers) {
    if (loadedFilters != null) {
      loadedFilters.evictAfter(readers);
    }
  }

  /** Loads some filters that are missing in memory, if there is room; waits for their reads. */
  public void settleFilters() {
    if (loadedFilters != null) {
      loadedFilters.settle();
    }
  }

  /** Returns the metrics of the filters since the opening; all 0 without filters. */
  public FilterTotals filterFigures() {
    return loadedFilters == null ? FilterTotals.NONE : loadedFilters.figures(filtersRebuilt.get());
  }

  /**
   * Rebuilds the slot of a filter from the table's keys. Returns null if the table is damaged; its
   * readers then get the error.
   */
  private byte[] rebuild(Table table) throws IOException {
    long[] hashes = new long[(int) Math.min(table.keys(), FIRST_HASHES)];
    int keys = 0;
    long digest = 0;
    try (EntryCursor cursor = table.cursor()) {
      byte[] last = null;
      int lastLength = 0;
      for (cursor.first(); cursor.valid(); cursor.next()) {
        if (last != null
            && Arrays.equals(
                last,
                0,
                lastLength,
                cursor.keyArray(),
                cursor.keyOffset(),
                cursor.keyOffset() + cursor.keyLength())) {
          continue;
        }
        lastLength = cursor.keyLength();
        if (last == null || last.length < lastLength) {
          last = new byte[2 * lastLength];
        }
        System.arraycopy(cursor.keyArray(), cursor.keyOffset(), last, 0, lastLength);
        long hash = KeyHash.of(last, 0, lastLength);
        if (keys == hashes.length) {
          if (keys >= table.keys()) {
            return null;
          }
          hashes = Arrays.copyOf(hashes, (int) Math.min(table.keys(), 2L * keys));
        }
        hashes[keys++] = hash;
        digest = KeyHash.addToDigest(digest, hash);
      }
    } catch (CorruptionException e) {
      return null;
    }
    FilterSlot slot = table.meta().filterSlot();
    return keys == table.keys() && keys == slot.keys() && digest == table.keyDigest()
        ? filters.write(slot, table.meta().number(), digest, hashes, new FilterBuilder())
        : null;
  }

  /**
   * Returns an open table.
   *
   * @throws CorruptionException if the table was damaged when the store was opened; its cause is
   *     the damage found then
   * @throws IllegalStateException if no open table has this number
   */
  public Table get(long number) {
    Table table = tables.get(number);
    if (table == null) {
      CorruptionException damage = damaged.get(number);
      if (damage != null) {
        throw new CorruptionException(
            damage.file(), damage.offset(), "it could not be opened", damage);
      }
      throw new IllegalStateException("table " + number + " is not open");
    }
    return table;
  }

  /**
   * Returns the earliest expiry of a value in a table, in milliseconds since 1970, or {@link
   * Long#MAX_VALUE} if no value expires. A table that was never read stays closed afterwards.
   *
   * @throws CorruptionException if the table is damaged
   * @throws UncheckedIOException if its file cannot be read
   */
  public long firstEndMillis(long number) {
    return get(number).peekFirstEndMillis();
  }

  /**
   * Returns an open table; null if there is none with this number, or if it was damaged when the
   * store was opened.
   */
  public Table find(long number) {
    return tables.get(number);
  }

  /** Returns the errors of tables that could not be opened, in any order. */
  public List<CorruptionException> damaged() {
    return List.copyOf(damaged.values());
  }

  /** Creates a table with the options of level 0. The caller closes or aborts the writer. */
  public TableWriter create(long number) throws IOException {
    return create(number, 0, new TableWriter.Buffers());
  }

  /** Creates a table with the options of a level; it reuses the buffers of an earlier table. */
  TableWriter create(long number, int level, TableWriter.Buffers buffers) throws IOException {
    TableWriter writer =
        TableWriter.create(disk, number, options, options.compression().at(level), codecs, buffers);
    writer.filterBits(usualFilterBits());
    return writer;
  }

  /** Returns the fingerprint bits of new filters under uniform allocation; 0 for no filters. */
  private int usualFilterBits() {
    return filters == null ? 0 : FilterOptions.fingerprintBits(filters.options().bitsPerKey());
  }

  /** Returns whether the size of a new filter depends on the existing runs. */
  public boolean filtersDependOnRuns() {
    return filters != null && filters.options().allocation() != FilterAllocation.UNIFORM;
  }

  /**
   * Returns the average fingerprint bits of the tables of a new run.
   *
   * @param own entries of the new run
   * @param others entries of each other run of the family, in any order
   * @return 0 for no filters; a fraction if the tables get two sizes in turn
   */
  double filterBits(long own, long[] others) {
    int usual = usualFilterBits();
    if (!filtersDependOnRuns()) {
      return usual;
    }
    long[] all = Arrays.copyOf(others, others.length + 1);
    all[others.length] = Math.max(1, own);
    return filters.options().allocation().bits(all, usual)[others.length];
  }

  /**
   * Starts a thread that syncs the tables of a {@link RollingTableWriter} while the next ones are
   * written. {@link #close} ends it.
   *
   * @param name name of the thread
   */
  public void syncIn(Workers workers, String name) {
    syncer = workers.start(name, this::syncNext);
  }

  private long syncNext() {
    FutureTask<Void> next = unsynced.poll();
    while (next != null && next.isDone()) {
      next = unsynced.poll();
    }
    if (next == null) {
      return Workers.UNTIL_WOKEN;
    }
    next.run();
    return 0;
  }

  /**
   * Syncs a complete table, in the sync thread if there is one; waits only without one. Returns the
   * task, which holds the failure. A caller that cannot wait for the thread may run the task
   * itself.
   */
  FutureTask<Void> sync(TableWriter complete) {
    FutureTask<Void> sync =
        new FutureTask<>(
            () -> {
              complete.sync();
              return null;
            });
    if (syncer == null) {
      sync.run();
    } else {
      unsynced.add(sync);
      syncer.wake();
    }
    return sync;
  }

  /**
   * Completes a table: writes its filter and opens it. The table is durable after {@link #sync}.
   * The caller then syncs the directory and installs an edit that names the table, or gives it up
   * with {@link #retire}. If this method fails, the table's file is removed.
   */
  TableMeta complete(TableWriter writer) throws IOException {
    FilterSlot slot = TableMeta.NO_FILTER;
    Table table = null;
    try {
      TableMeta meta = writer.complete();
      byte[] bytes = null;
      if (filters != null) {
        slot = filters.allocate(writer.keys(), writer.filterBits());
      }
      if (slot.exists()) {
        meta = meta.withFilterSlot(slot);
        bytes =
            filters.write(
                slot, meta.number(), writer.keyDigest(), writer.hashes(), writer.filterBuilder());
      }
      table = Table.open(disk, meta, budget, allocator, codecs, cache);
      if (bytes != null) {
        loadedFilters.add(table, bytes);
      }
      synchronized (this) {
        tables = tables.with(table);
      }
      return meta;
    } catch (IOException | RuntimeException | Error e) {
      giveUp(writer, table, slot, e);
      throw e;
    }
  }

  private void giveUp(TableWriter writer, Table table, FilterSlot slot, Throwable reason) {
    try {
      try {
        if (table != null) {
          close(table);
        }
      } finally {
        writer.abort();
      }
    } catch (IOException | RuntimeException | Error e) {
      if (e != reason) {
        reason.addSuppressed(e);
      }
    }
    if (slot.exists()) {
      filters.free(slot);
    }
  }

  /**
   * Closes an obsolete table, frees its filter slot and removes its file. The removal is not
   * synced. A file that cannot be removed is left to recovery, which deletes all tables missing in
   * the manifest.
   */
  public void retire(TableMeta meta) throws IOException {
    Table table;
    synchronized (this) {
      table = tables.get(meta.number());
      if (table != null) {
        tables = tables.without(meta.number());
      }
    }
    damaged.remove(meta.number());
    try {
      if (table != null) {
        close(table);
      }
    } finally {
      if (filters != null) {
        filters.free(meta.filterSlot());
      }
      disk.delete(FileKind.TABLE.fileName(meta.number()));
    }
  }

  private void close(Table table) throws IOException {
    if (loadedFilters != null) {
      loadedFilters.remove(table);
    }
    table.close();
  }

  /**
   * Returns the off-heap bytes of all tables and their block cache, as the allocator counts them.
   */
  public long directBytes() {
    return allocator.usedBytes();
  }

  /** Returns all open tables in any order. */
  public Collection<Table> all() {
    return tables.all();
  }

  /** Returns the counts and the memory of the block cache since the opening; all 0 without one. */
  public BlockCache.Figures cacheFigures() {
    return cache.figures();
  }

  /** Returns the number of open tables. */
  public int size() {
    return tables.size();
  }

  /**
   * Closes all tables and the filter file; goes on after a failure and throws the first. The caller
   * makes sure that all readers and writers have ended. Idempotent.
   */
  @Override
  public void close() throws IOException {
    if (syncer != null) {
      syncer.close();
    }
    NumberedTables open;
    synchronized (this) {
      open = tables;
      tables = new NumberedTables(0);
    }
    IOException failure = null;
    for (Table table : open.all()) {
      try {
        table.close();
      } catch (IOException | RuntimeException | Error e) {
        failure = joined(failure, e);
      }
    }
    try {
      if (filters != null) {
        loadedFilters.close();
        filters.close();
      }
    } finally {
      codecs.close();
      cache.close();
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Returns the first failure with the other one suppressed in it; {@code first} may be null. */
  static IOException joined(IOException first, Throwable other) {
    if (first == null) {
      return other instanceof IOException io ? io : new IOException(other.getMessage(), other);
    }
    first.addSuppressed(other);
    return first;
  }
}
