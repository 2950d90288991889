// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.CorruptionException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.Workers;
import io.coppice.entry.EntryCursor;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
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
 * Every table that some version names. Tables enter when they are finished, before an edit names
 * them, and leave when they are retired, after the last version that named them was released. Where
 * there are many when the store is opened, the first who reads one opens its file. Safe to share
 * between threads; {@link #get} takes no lock.
 */
public final class OpenTables implements Closeable {

  /**
   * Bytes of indexes and filters that come into memory while a store is opened. The files of other
   * tables are opened when they are first read, so that opening reads little however much data
   * there is.
   */
  public static final long WARM_BYTES = 4 << 20;

  /** A file takes as long to open as so many bytes to read, and more. */
  static final long LEAST_WARM_BYTES = 16 << 10;

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /** A count from a file is not believed before so many keys were found. */
  private static final int FIRST_HASHES = 1 << 16;

  private final Disk disk;
  private final MemoryBudget budget;
  private final TableOptions options;
  private final DirectMemory allocator = new DirectMemory();

  /** Null if there are none. */
  private final FilterStore filters;

  /** Null if there are none. */
  private final LoadedFilters loadedFilters;

  private final AtomicLong filtersRebuilt = new AtomicLong();

  /** False if another process may remove files, so that those of all tables are opened at once. */
  private final boolean filesStay;

  /** What is left of the bytes that come into memory now. */
  private final AtomicLong coldAfter;

  private final Codecs codecs = new Codecs();
  private final BlockCache cache;

  /** Replaced as a whole under the lock of this. */
  private volatile NumberedTables tables = new NumberedTables(0);

  /** Syncs of complete tables, those that have begun or ended included. */
  private final Queue<FutureTask<Void>> unsynced = new ConcurrentLinkedQueue<>();

  /** Null while whoever completes a table syncs it. */
  private volatile Workers.Worker syncer;

  /** Tables that were damaged when the store was opened; the others stay readable. */
  private final Map<Long, CorruptionException> damaged = new ConcurrentHashMap<>();

  /** Null filter options stand for those of the file, which is only read. */
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
      this.filters = FilterStore.openForReading(disk, budget, allocator);
    } else {
      this.filters =
          filterOptions.enabled() ? FilterStore.open(disk, filterOptions, budget, allocator) : null;
    }
    this.loadedFilters = filters == null ? null : new LoadedFilters(filters, budget);
  }

  /**
   * Opens the tables of a version, and their filters in the order in which they lie in the file. A
   * filter that is damaged or missing is made anew from its table. A damaged table does not keep
   * the others from opening; it is in {@link #damaged}, and {@link #get} reports it. Where there is
   * much data, the other tables are opened when they are first read, and damage is reported then;
   * that no file is missing the caller has seen to.
   *
   * @param cacheOptions of the block cache
   * @param warmBytes of indexes and filters come into memory now
   * @param live the tables of the current version, each once
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

  /** As above, of {@link #WARM_BYTES} and without a block cache. */
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
   * As above, of a store that is only read: nothing is written, filters are taken as they lie in
   * their file, and a table whose filter is damaged or missing has none. No table may be created.
   * The files of all tables are opened, as a process that writes may remove them meanwhile.
   */
  public static OpenTables openForReading(
      Disk disk, MemoryBudget budget, BlockCacheOptions cacheOptions, Collection<TableMeta> live)
      throws IOException {
    return open(
        new OpenTables(disk, budget, TableOptions.DEFAULT, null, cacheOptions, WARM_BYTES), live);
  }

  /** As above, without a block cache. */
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
    return Math.max(LEAST_WARM_BYTES, table.coldBytes());
  }

  /** Whoever opens or reads the table goes on without a filter that cannot be had. */
  private void bringFilter(Table table) {
    try {
      openFilter(table);
    } catch (IOException | UncheckedIOException | OutOfMemoryError e) {
      LOG.log(System.Logger.Level.WARNING, "{0} does without its filter: {1}", table, e);
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

  /** Tells when readers have gone. Safe to share between threads. */
  public interface Readers {
    /**
     * Runs the task, in any thread, once all have ended who may have found the table by now.
     *
     * @return false if no version names the table now; the task is not run then
     */
    boolean afterPresent(TableMeta table, Runnable task);
  }

  /** Lets filters leave memory when it is short; before this is called they stay. */
  public void evictFilters(Readers readers) {
    if (loadedFilters != null) {
      loadedFilters.evictAfter(readers);
    }
  }

  /** Brings filters into memory that are missing there, if there is room. */
  public void settleFilters() {
    if (loadedFilters != null) {
      loadedFilters.settle();
    }
  }

  /** What filters hold and did. */
  public FilterFigures filterFigures() {
    return loadedFilters == null ? FilterFigures.NONE : loadedFilters.figures(filtersRebuilt.get());
  }

  /** Null if the table is damaged; it does without, and whoever reads there is told. */
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
   * An open table.
   *
   * @throws CorruptionException if it was damaged when the store was opened
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
   * Returns the earliest end of a value in a table, in milliseconds since 1970; the largest long if
   * no value ends. A table that nobody has read yet keeps no file open for this.
   *
   * @throws CorruptionException if the table is damaged
   * @throws UncheckedIOException if its file cannot be read
   */
  public long firstEndMillis(long number) {
    return get(number).peekFirstEndMillis();
  }

  /** As {@link #get}; null if it was damaged when the store was opened. */
  public Table find(long number) {
    return tables.get(number);
  }

  /** What was wrong with tables that could not be opened, in no order. */
  public List<CorruptionException> damaged() {
    return List.copyOf(damaged.values());
  }

  /** Starts a new table in the form of level 0. */
  public TableWriter create(long number) throws IOException {
    return create(number, 0, new TableWriter.Buffers());
  }

  /** Starts a new table in the form of a level, in memory that an earlier one may have used. */
  TableWriter create(long number, int level, TableWriter.Buffers buffers) throws IOException {
    TableWriter writer =
        TableWriter.create(disk, number, options, options.compression().at(level), codecs, buffers);
    writer.filterBits(usualFilterBits());
    return writer;
  }

  /** Bits of a fingerprint of filters of new tables where all have as many; 0 for no filters. */
  private int usualFilterBits() {
    return filters == null ? 0 : FilterOptions.fingerprintBits(filters.options().bitsPerKey());
  }

  /** True if the filters of a table depend on the runs there are. */
  public boolean filtersDependOnRuns() {
    return filters != null && filters.options().allocation() != FilterAllocation.UNIFORM;
  }

  /**
   * Bits of a fingerprint of the filters of the tables of a run that is to be written, on average.
   *
   * @param own entries that the run will have
   * @param others entries that the other runs of the family will have
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
   * From now on the tables of a {@link TableSeries} become durable while the next are written.
   *
   * @param name for the thread
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

  /** The sync of a complete table, at once or by the worker; whoever cannot wait may run it. */
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
   * Completes a table: it has its filter, and is open. It is durable after {@link #sync}; the
   * caller then syncs the directory and installs an edit that names it, or gives it up by {@link
   * #retire}. If this fails the table is gone.
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
   * Closes a table that no version names any more, frees its filter slot and removes its file. If
   * the file cannot be removed it is left for recovery, which removes whatever the manifest does
   * not name.
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

  /** Bytes allocated outside the heap, as the allocator counts them. */
  public long directBytes() {
    return allocator.usedBytes();
  }

  /** All that are open, in no order. */
  public Collection<Table> all() {
    return tables.all();
  }

  /** What the block cache did. */
  public BlockCache.Figures cacheFigures() {
    return cache.figures();
  }

  /** How many tables are open. */
  public int size() {
    return tables.size();
  }

  /** Closes all tables and the file of filters; nobody may read any more. Idempotent. */
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

  /** The first of two failures, with the other; the first may be null. */
  static IOException joined(IOException first, Throwable other) {
    if (first == null) {
      return other instanceof IOException io ? io : new IOException(other.getMessage(), other);
    }
    first.addSuppressed(other);
    return first;
  }
}
