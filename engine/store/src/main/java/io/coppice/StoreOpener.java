// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.DiskFullException;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.thread.WorkerThreads;
import io.coppice.base.thread.Workers;
import io.coppice.compaction.Compactor;
import io.coppice.compaction.context.CompactionRateLimiter;
import io.coppice.compaction.context.ObsoleteTableCleaner;
import io.coppice.entry.StoreClock;
import io.coppice.io.BlockReader;
import io.coppice.io.Disk;
import io.coppice.io.disk.DiskSpaceReserve;
import io.coppice.io.disk.FailStopDisk;
import io.coppice.io.disk.ReadOnlyDisk;
import io.coppice.manifest.Manifest;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.Memtable;
import io.coppice.metrics.StoreMetricId;
import io.coppice.metrics.StoreMetrics;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.read.LookupContext;
import io.coppice.recovery.LoadedLogs;
import io.coppice.recovery.Recovery;
import io.coppice.recovery.TruncatedManifestCheck;
import io.coppice.table.OpenTables;
import io.coppice.table.TableMeta;
import io.coppice.version.ManifestState;
import io.coppice.version.VersionEdit;
import io.coppice.wal.WalWriter;
import io.coppice.write.WriteContext;
import io.coppice.write.WritePath;
import io.coppice.write.family.FamilyWriteState;
import io.coppice.write.family.RecoveredLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Opens the parts of a store in the order of their dependencies. If a step fails, it closes the
 * parts that are open.
 */
final class StoreOpener {

  /** Divisor of the memory budget: this part of it may hold free chunks for the next memtable. */
  private static final int SPARE_SHARE = 8;

  private static final long RESERVED_TABLES = 9;

  private static final int RESERVED_SHARE = 4;

  private final StoreOptions options;
  private final StoreParts parts;

  private StoreOpener(StoreOptions options, Workers workers) {
    this.options = options;
    this.parts = new StoreParts(options, workers);
  }

  static StoreParts open(Disk disk, StoreOptions options) throws IOException {
    return open(disk, options, new WorkerThreads());
  }

  /**
   * Opens a store; the given workers run its background work. Its parts close the disk, also if
   * opening fails.
   */
  static StoreParts open(Disk disk, StoreOptions options, Workers workers) throws IOException {
    StoreParts parts = openPaused(disk, options, workers);
    parts.compactor.resume();
    return parts;
  }

  /** Opens a store whose compactor is paused from the start. */
  static StoreParts openPaused(Disk disk, StoreOptions options) throws IOException {
    return openPaused(disk, options, new WorkerThreads());
  }

  private static StoreParts openPaused(Disk disk, StoreOptions options, Workers workers)
      throws IOException {
    return complete(new StoreOpener(options, workers), opener -> opener.build(disk));
  }

  /**
   * Opens a store without a single write; methods that need one throw {@link ReadOnlyException}.
   */
  static StoreParts openReadOnly(Disk disk, StoreOptions options) throws IOException {
    return complete(
        new StoreOpener(options, new WorkerThreads()), opener -> opener.buildReadOnly(disk));
  }

  private interface Building {
    void run(StoreOpener opener) throws IOException;
  }

  /** Builds the parts; if that fails, closes those that are open. */
  private static StoreParts complete(StoreOpener opener, Building building) throws IOException {
    try {
      building.run(opener);
      return opener.parts;
    } catch (IOException | RuntimeException | Error e) {
      try {
        opener.parts.close();
      } catch (IOException | RuntimeException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  /**
   * Opens a store without a single write, with its logs in memory. Its compactor asks the store's
   * own policies for plans but carries out none.
   */
  private void buildReadOnly(Disk bare) throws IOException {
    parts.open.register(bare);
    openMetrics();
    Disk disk = new ReadOnlyDisk(bare);
    parts.disk = disk;
    parts.reserve = DiskSpaceReserve.open(disk, () -> 0);
    parts.manifest =
        Manifest.openReadOnly(disk, found -> TruncatedManifestCheck.check(disk, found));
    parts.open.register(parts.manifest);
    parts.families = Families.asTheyAre(parts.manifest, options, disk.describe());
    openTables(
        OpenTables.openForReading(
            disk, options.memory, options.blockCache(), parts.manifest.state().tables()));
    parts.pool = new ChunkPool(options.memory, 0);
    parts.open.register(parts.pool::close);
    openClock();
    parts.open.register(parts.families::closeMemtables);
    LoadedLogs logs = LoadedLogs.load(disk, parts.manifest.state(), parts.pool);
    parts.lastSequence = logs.lastSequence();
    // Loaded memtables that no family has taken over yet.
    Map<Integer, Memtable> waiting = new HashMap<>(logs.memtables());
    parts.open.register(() -> waiting.values().forEach(Memtable::release));
    parts.compactor = new Compactor(parts.workers, parts.journal, options.maxTransientSpace, 0);
    for (ManifestState.Family living : parts.manifest.state().families()) {
      FamilyParts family = parts.lifecycle.addParts(living.number());
      Memtable loaded = waiting.remove(living.number());
      if (loaded != null) {
        family.writeState().memtables().activate(loaded);
      }
    }
    registerMetrics();
    StoreParts.LOG.log(
        System.Logger.Level.INFO,
        "opened {0} for reading, with {1} tables and {2} entries of logs",
        disk.describe(),
        parts.tables.size(),
        logs.entries());
  }

  private void build(Disk bare) throws IOException {
    parts.open.register(bare);
    parts.reserve = DiskSpaceReserve.open(bare, this::reserveBytes);
    FailStopDisk guarded = new FailStopDisk(bare, parts.reserve);
    parts.disk = guarded;
    openMetrics();
    openManifest(guarded);
    openTables();
    openMemory();
    Recovery recovery = newRecovery();
    List<RecoveredLog> recovered;
    try {
      recovered = recovery.run();
    } catch (DiskFullException e) {
      if (!parts.reserve.release()) {
        throw e;
      }
      recovery = newRecovery();
      recovered = recovery.run();
    }
    warnOfDroppedBytes(recovery.droppedBytes());

    List<RecoveredLog> notTaken = new ArrayList<>(recovered);
    parts.open.register(() -> notTaken.forEach(RecoveredLog::release));
    parts.tables.syncIn(parts.workers, options.name + "-sync");
    checkMemory();
    openCompactor();
    parts.writes = beginWrites(recovered, recovery.lastSequence());
    notTaken.clear();
    parts.open.register(parts.compactor::close);
    parts.open.register(parts.writes::close);
    guarded.onStop(cause -> parts.writes.fail(cause.getMessage(), cause));
    parts.manifest.onFailure(
        cause -> parts.writes.fail("the manifest could not be written", cause));
    parts.reserve.ensure();
    start();
    StoreParts.LOG.log(
        System.Logger.Level.INFO,
        "opened {0}, {1} tables, {2} families, policy {3}",
        parts.disk.describe(),
        parts.tables.size(),
        parts.families.all().size(),
        options.policy);
  }

  private void openMetrics() {
    parts.metrics = new StoreMetrics(options.metrics, options.name);
    parts.open.register(parts.metrics::close);
    if (options.jmx) {
      parts.metrics.showAsBeans();
    }
  }

  private void openManifest(FailStopDisk guarded) throws IOException {
    parts.manifest =
        Manifest.open(
            guarded, options.manifestBytes, found -> TruncatedManifestCheck.check(guarded, found));
    parts.open.register(parts.manifest);
    parts.families = Families.settle(parts.manifest, options, guarded.describe());
    openClock();
  }

  private void openClock() {
    parts.clock = new StoreClock(options.clock);
    parts.clock.raise(parts.manifest.state().marks().clockFloor());
  }

  private void openTables() throws IOException {
    long claim = options.memtableClaimBytes();
    options.memory.claimForMemtables(claim);
    parts.open.register(() -> options.memory.claimForMemtables(-claim));
    OpenTables tables =
        OpenTables.open(
            parts.disk,
            options.memory,
            options.tables,
            options.filters(),
            options.blockCache(),
            options.warmBytes,
            parts.manifest.state().tables());
    openTables(tables);
    ObsoleteTableCleaner cleaner =
        new ObsoleteTableCleaner(
            tables,
            parts.workers,
            options.name + "-clean",
            parts.manifest::settle,
            StoreOpener::notRemoved);
    parts.cleaner = cleaner;
    parts.open.register(cleaner::close);
    parts.manifest.retireTo(cleaner::add, cleaner::wake);
    tables.evictFilters(
        (table, task) ->
            parts.manifest.afterReaders(
                table,
                () -> {
                  task.run();
                  cleaner.wake();
                }));
  }

  private void openTables(OpenTables tables) {
    parts.tables = tables;
    parts.open.register(parts.families.unlessRead(tables));
    BlockReader reader = parts.disk.blockReader(options.blockReader());
    parts.searching =
        new LookupContext(
            reader, options.search, options.searchWidth, options.counting, parts.workers::nanoTime);
    parts.open.register(parts.families.unlessRead(parts.searching));
    tables
        .damaged()
        .forEach(damage -> StoreParts.LOG.log(System.Logger.Level.ERROR, damage.getMessage()));
  }

  private void openMemory() {
    parts.pool = new ChunkPool(options.memory, spareChunks(options));
    parts.open.register(parts.pool::close);
  }

  private Recovery newRecovery() {
    return new Recovery(
        parts.disk,
        parts.manifest,
        parts.tables,
        parts.pool,
        options.memtableBytes,
        family -> FamilyLifecycle.limits(parts.families.policy(family)));
  }

  private void warnOfDroppedBytes(long bytes) {
    if (bytes > 0) {
      StoreParts.LOG.log(
          System.Logger.Level.WARNING,
          "{0}: recovery ignores {1} bytes at the torn end of the log; none of them was"
              + " acknowledged as synced",
          parts.disk.describe(),
          bytes);
    }
  }

  private void openCompactor() {
    parts.open.register(parts.families::closeMemtables);
    parts.compactionRate = new CompactionRateLimiter(parts.workers, options.compactionRate);
    parts.compactor =
        new Compactor(
            parts.workers, parts.journal, options.maxTransientSpace, options.memtableBytes);
    parts.compactor.writePressure(parts::writePressure);
    for (ManifestState.Family family : parts.manifest.state().families()) {
      parts.lifecycle.add(family.number());
    }
  }

  /**
   * Creates the first log for writes. The manifest then names the oldest log that is still needed.
   */
  private WritePath beginWrites(List<RecoveredLog> recovered, long lastSequence)
      throws IOException {
    WriteContext context =
        new WriteContext(
            parts.workers,
            parts.disk,
            parts.reserve,
            parts.manifest,
            parts.tables,
            parts.snapshots,
            parts.pool,
            new WriteEvents(parts),
            options.memtableBytes,
            parts.compactor::backlogPressure,
            options.name);
    long number = parts.manifest.nextNumber();
    WalWriter log = WalWriter.create(parts.disk, number);
    try {
      if (!parts.manifest.state().marks().floorBegun()) {
        long oldest = recovered.isEmpty() ? number : recovered.get(0).number();
        parts.manifest.install(VersionEdit.builder().walFloor(oldest, true).build());
      }
      List<FamilyWriteState> written =
          parts.families.all().stream().map(FamilyParts::writeState).toList();
      return new WritePath(context, written, recovered, log, number, lastSequence);
    } catch (IOException | RuntimeException | Error e) {
      log.close();
      throw e;
    }
  }

  /** Starts the workers; the compactor begins paused. */
  private void start() {
    parts.metrics.gauge(StoreMetricId.MEMORY_BYTES, options.memory::usedBytes);
    parts.metrics.number(StoreMetricId.WRITE_DELAY, parts.writes::delayNanosPerByte);
    parts.metrics.gauge(StoreMetricId.READ_ONLY, () -> parts.writes.failed() ? 1 : 0);
    registerMetrics();
    parts.compactor.pause();
    parts.compactor.start(options.compactionSlots, options.name);
    parts.open.register(parts.lifecycle.tuning()::close);
    parts.families.all().forEach(parts.lifecycle::tuneFirst);
  }

  /** Registers the metrics that are computed on request. */
  private void registerMetrics() {
    StoreMetrics metrics = parts.metrics;
    OpenTables tables = parts.tables;
    metrics.number(CompactionMetricId.LIVE_BYTES, parts.manifest::tableBytes);
    metrics.number(CompactionMetricId.PINNED_BYTES, parts.manifest::pinnedBytes);
    metrics.gauge(StoreMetricId.CACHE_BYTES, () -> tables.cacheFigures().bytes());
    metrics.gauge(StoreMetricId.CACHE_HITS, () -> tables.cacheFigures().hits());
    metrics.gauge(StoreMetricId.CACHE_MISSES, () -> tables.cacheFigures().misses());
    metrics.gauge(StoreMetricId.FILTERS_LOADED, () -> tables.filterFigures().loaded());
    metrics.gauge(StoreMetricId.FILTERS_ABSENT, () -> tables.filterFigures().absent());
    metrics.gauge(StoreMetricId.FILTER_EVICTIONS, () -> tables.filterFigures().evictions());
    metrics.number(CompactionMetricId.FILTER_BYTES, () -> tables.filterFigures().bytes());
    new LookupMetrics(parts.searching, parts.workers::nanoTime).register(metrics);
    // Registered once more, to be closed first: the parts that metrics query must be open until
    // then.
    parts.open.register(metrics::close);
  }

  private void checkMemory() {
    if (!parts.pool.hasRoom(options.memtableBytes)) {
      long left = options.memory.capacityBytes() - options.memory.usedBytes();
      throw new InvalidOptionsException(
          List.of(
              String.format(
                  "memory (%s bytes, of which %s are left in this memory budget) must have"
                      + " room for a memtable of memtableBytes (%s) when a store is opened",
                  options.memory.capacityBytes(), left, options.memtableBytes)));
    }
  }

  /**
   * Returns the number of free chunks to keep: enough to refill a memtable without a system call if
   * the memory budget is large.
   */
  private static int spareChunks(StoreOptions options) {
    long bytes = Math.min(options.memtableBytes, options.memory.capacityBytes() / SPARE_SHARE);
    return (int) (bytes / ChunkPool.CHUNK_BYTES);
  }

  /**
   * Returns the bytes of the disk space reserve. On a full disk a merge step writes one table
   * before it can delete the first of its inputs, one from each run. The reserve holds that for
   * each merge slot, and room for a flush, but in a small store at most a quarter of the bytes of
   * its tables.
   */
  private long reserveBytes() {
    if (parts.families == null) {
      return 0;
    }
    long whole = options.compactionSlots * RESERVED_TABLES * parts.families.largestTableBytes();
    // A flush releases its room together with its log, while merges continue.
    long flush = options.memtableBytes + options.memtableBytes / 2;
    return Math.min(whole + flush, parts.manifest.tableBytes() / RESERVED_SHARE);
  }

  private static void notRemoved(TableMeta table, IOException cause) {
    StoreParts.log(
        System.Logger.Level.WARNING, "table " + table.number() + " was not removed", cause);
  }
}
