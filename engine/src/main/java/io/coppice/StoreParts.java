// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.DiskFullException;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.VersionException;
import io.coppice.base.WorkerThreads;
import io.coppice.base.Workers;
import io.coppice.compaction.Cleaning;
import io.coppice.compaction.CompactionListener;
import io.coppice.compaction.Compactor;
import io.coppice.compaction.MergeContext;
import io.coppice.io.Disk;
import io.coppice.io.GuardedDisk;
import io.coppice.io.Reserve;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.ReadRequests;
import io.coppice.manifest.Snapshots;
import io.coppice.manifest.Version;
import io.coppice.manifest.VersionEdit;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.Memtable;
import io.coppice.memtable.Memtables;
import io.coppice.metrics.StoreMetrics;
import io.coppice.policy.Backlog;
import io.coppice.policy.Decision;
import io.coppice.policy.DecisionJournal;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.Plan;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.read.Reader;
import io.coppice.recovery.Recovery;
import io.coppice.table.FilterOptions;
import io.coppice.table.OpenTables;
import io.coppice.table.TableMeta;
import io.coppice.wal.WalWriter;
import io.coppice.write.WriteContext;
import io.coppice.write.WriteListener;
import io.coppice.write.WritePath;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * The parts of an open store, put together in the order in which they need each other and taken
 * apart in the reverse. Safe to share between threads.
 */
final class StoreParts {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /** The only key order there is; its name is kept so that another one is refused. */
  private static final String KEY_ORDER = "unsigned-bytes";

  /** Memory that waits for the next memtable: at most this share of the ledger. */
  private static final int SPARE_SHARE = 8;

  private static final long RESERVED_TABLES = 9;

  private static final int RESERVED_SHARE = 4;

  private static final int KEPT_DECISIONS = 1000;

  /** Shapes of a hundred slices each; some 15 MB of heap at most. */
  private static final int KEPT_SLICES = 100 * KEPT_DECISIONS;

  private final Workers workers;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final DecisionJournal journal = new DecisionJournal(KEPT_DECISIONS, KEPT_SLICES);
  private final Snapshots snapshots = new Snapshots();

  private StoreOptions options;
  private Disk disk;
  private StoreMetrics metrics;
  private Manifest manifest;
  private OpenTables tables;
  private Memtables memtables;

  /** Null if the store was opened for reading; so is {@link #lastSequence} set. */
  private WritePath writes;

  private long lastSequence;
  private Reader reader;
  private Reads reads;
  private Compactor compactor;

  private StoreParts(Workers workers) {
    this.workers = workers;
  }

  static StoreParts open(Disk disk, StoreOptions options) throws IOException {
    return open(disk, options, new WorkerThreads());
  }

  /** Opens a store whose background work others carry out. */
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
    StoreParts parts = new StoreParts(workers);
    try {
      parts.build(disk, options);
      return parts;
    } catch (IOException | RuntimeException | Error e) {
      try {
        parts.close();
      } catch (IOException | RuntimeException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  /** Opens a store without one write; what needs one throws {@link ReadOnlyException}. */
  static StoreParts openReadOnly(Disk disk, StoreOptions options) throws IOException {
    StoreParts parts = new StoreParts(new WorkerThreads());
    try {
      parts.options = options;
      parts.metrics = new StoreMetrics(options.metrics(), options.name());
      parts.take(ReadOnlyParts.open(disk, options, parts.journal, parts.open));
      parts.open.push(parts.metrics::close);
      return parts;
    } catch (IOException | RuntimeException | Error e) {
      try {
        parts.close();
      } catch (IOException | RuntimeException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  private void take(ReadOnlyParts readOnly) {
    disk = readOnly.disk();
    manifest = readOnly.manifest();
    tables = readOnly.tables();
    memtables = readOnly.memtables();
    reader = readOnly.reader();
    reads = new Reads(reader);
    compactor = readOnly.compactor();
    lastSequence = readOnly.lastSequence();
  }

  private void build(Disk bare, StoreOptions given) throws IOException {
    options = given;
    PolicySpec policy = options.policy();
    long tableBytes = policy.tableBytes();
    FilterOptions filters =
        options.filterBits() == 0
            ? FilterOptions.OFF
            : FilterOptions.forTables(options.filterBits(), tableBytes, 0);
    long tableEntries = filters.enabled() ? filters.maxKeys() : Long.MAX_VALUE;

    open.push(bare);
    Reserve reserve = Reserve.open(bare, this::reserveBytes);
    GuardedDisk guarded = new GuardedDisk(bare, reserve);
    disk = guarded;
    metrics = new StoreMetrics(options.metrics(), options.name());
    open.push(metrics::close);
    manifest = Manifest.open(disk);
    open.push(manifest);
    writeDownOrCheck(policy, disk);
    tables =
        OpenTables.open(
            disk, options.memory(), options.tables(), filters, live(manifest.current()));
    open.push(tables);
    tables.damaged().forEach(damage -> LOG.log(System.Logger.Level.ERROR, damage.getMessage()));
    Cleaning cleaning =
        new Cleaning(tables, workers, options.name() + "-clean", StoreParts::notRemoved);
    open.push(cleaning);
    manifest.retireTo(cleaning::add);
    ChunkPool pool = new ChunkPool(options.memory(), spareChunks(options));
    open.push(pool);

    Supplier<Recovery> recoveries =
        () ->
            new Recovery(
                disk, manifest, tables, pool, options.memtableBytes(), tableBytes, tableEntries);
    Recovery recovery = recoveries.get();
    try {
      recovery.run();
    } catch (DiskFullException e) {
      if (!reserve.release()) {
        throw e;
      }
      recovery = recoveries.get();
      recovery.run();
    }
    if (recovery.droppedBytes() > 0) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0}: {1} bytes at the torn end of the log were never acknowledged as synced and are left out",
          disk.describe(),
          recovery.droppedBytes());
    }

    Memtable active = Memtable.tryCreate(pool);
    if (active == null) {
      throw new IllegalArgumentException(
          "the memory budget has "
              + (options.memory().capacityBytes() - options.memory().usedBytes())
              + " bytes left, too few for a memtable; give the store more memory");
    }
    memtables = new Memtables(active);
    open.push(memtables::closeAndWait);
    MergeContext merges =
        new MergeContext(
            workers,
            disk,
            cleaning,
            reserve,
            tables,
            snapshots,
            manifest::nextNumber,
            tableBytes,
            tableEntries);
    ReadRequests requests = new ReadRequests();
    compactor =
        new Compactor(
            manifest, merges, policy, requests, journal, options.maxTransientSpace(), new Merges());
    WriteContext context =
        new WriteContext(
            workers,
            disk,
            reserve,
            manifest,
            tables,
            snapshots,
            pool,
            memtables,
            new Writes(),
            options.memtableBytes(),
            tableBytes,
            tableEntries,
            policy.restingRuns(),
            options.name());
    WalWriter wal = WalWriter.create(disk, manifest.nextNumber());
    writes = new WritePath(context, wal, recovery.lastSequence());
    open.push(compactor);
    open.push(writes);
    guarded.onStop(cause -> writes.fail(cause.getMessage(), cause));
    reserve.ensure();
    reader = new Reader(memtables, manifest, tables, writes::visible, requests);
    reads = new Reads(reader);
    metrics.gauge("memory-bytes", options.memory()::usedBytes);
    metrics.gauge("table-bytes", () -> manifest.current().tableBytes());
    metrics.gauge("pinned-bytes", manifest::pinnedBytes);
    compactor.pause();
    compactor.start(options.mergeSlots(), options.name());
    LOG.log(
        System.Logger.Level.INFO,
        "opened {0} with {1} tables, policy {2}",
        disk.describe(),
        tables.size(),
        policy);
  }

  private void writeDownOrCheck(PolicySpec policy, Disk disk) throws IOException {
    Version.Marks marks = manifest.current().marks();
    VersionEdit.Builder edit = VersionEdit.builder();
    if (marks.keyOrder().isEmpty()) {
      edit.keyOrder(KEY_ORDER);
    } else if (!marks.keyOrder().equals(KEY_ORDER)) {
      throw new VersionException(
          disk.describe(), "key order '" + marks.keyOrder() + "'", "'" + KEY_ORDER + "'");
    }
    if (!marks.policy().equals(policy.toString())) {
      edit.policyText(policy.toString());
    }
    VersionEdit whole = edit.build();
    if (!whole.ops().isEmpty()) {
      manifest.install(whole);
    }
  }

  /** Enough to refill a memtable without a word to the system, where the ledger is large. */
  private static int spareChunks(StoreOptions options) {
    long bytes = Math.min(options.memtableBytes(), options.memory().capacityBytes() / SPARE_SHARE);
    return (int) (bytes / ChunkPool.CHUNK_BYTES);
  }

  /**
   * A step of a merge on a full disk writes one table before it can remove the first of the tables
   * it reads, one from each run: so many for each merge, but no more than a quarter of a small
   * store.
   */
  private long reserveBytes() {
    long whole = options.mergeSlots() * RESERVED_TABLES * options.policy().tableBytes();
    return Math.min(whole, manifest == null ? 0 : manifest.current().tableBytes() / RESERVED_SHARE);
  }

  private static List<TableMeta> live(Version version) {
    Map<Long, TableMeta> live = new HashMap<>();
    version.slices().forEach(slice -> live.put(slice.table().number(), slice.table()));
    return List.copyOf(live.values());
  }

  private static void notRemoved(TableMeta table, IOException cause) {
    LOG.log(System.Logger.Level.WARNING, "table " + table.number() + " was not removed", cause);
  }

  /**
   * Where writes go.
   *
   * @throws ReadOnlyException if the store was opened for reading
   */
  WritePath writes() {
    if (writes == null) {
      throw ReadOnlyException.openForReading(disk.describe());
    }
    return writes;
  }

  /** The newest sequence number that readers may see. */
  long visible() {
    return writes == null ? lastSequence : writes.visible();
  }

  Reader reader() {
    return reader;
  }

  Reads reads() {
    return reads;
  }

  Snapshots snapshots() {
    return snapshots;
  }

  Compactor compactor() {
    return compactor;
  }

  /** Flushes that wait to be merged. */
  int levelZeroRuns() {
    return manifest.current().levels().get(0).runs().size();
  }

  /** True for the one call that goes on to close. */
  boolean startClosing() {
    return closing.compareAndSet(false, true);
  }

  boolean closing() {
    return closing.get();
  }

  List<Decision> decisions() {
    return journal.decisions();
  }

  StoreStats stats(OpenHandles handles) {
    Shape shape = compactor.shape();
    Backlog backlog = compactor.backlog();
    return new StoreStats(
        shape.levels().stream().map(StoreParts::stats).toList(),
        manifest.current().tableBytes(),
        manifest.pinnedBytes(),
        metrics.flushes.getCount(),
        metrics.flushedBytes.getCount(),
        metrics.mergeSteps.getCount(),
        metrics.mergeReadBytes.getCount(),
        metrics.mergedBytes.getCount(),
        metrics.moves.getCount(),
        metrics.delays.getCount(),
        metrics.drops.getCount(),
        metrics.acceptedBytes.getCount(),
        metrics.stalls.getCount(),
        metrics.stalledNanos.getCount(),
        backlog.bytes(),
        backlog.headroomBytes(),
        options.memory().usedBytes(),
        handles.count(),
        handles.forgotten(),
        handles.oldestSnapshot());
  }

  private static StoreStats.LevelStats stats(LevelFacts level) {
    int segments = 0;
    int virtual = 0;
    for (RunFacts run : level.runs()) {
      segments += run.segments().size();
      virtual += (int) run.segments().stream().filter(SegmentFacts::virtual).count();
    }
    return new StoreStats.LevelStats(level.runs().size(), segments, virtual, level.bytes());
  }

  /** Closes what is open, newest first; goes on over failures and throws the first. */
  void close() throws IOException {
    Exception failure = null;
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure instanceof IOException io) {
      throw io;
    }
    if (failure instanceof RuntimeException runtime) {
      throw runtime;
    }
    if (failure != null) {
      throw new IOException(failure);
    }
  }

  /** Counts what the write path does, and passes it on. */
  private final class Writes implements WriteListener {
    @Override
    public void accepted(long bytes) {
      metrics.acceptedBytes.inc(bytes);
    }

    @Override
    public void flushed(long bytes) {
      metrics.flushes.inc();
      metrics.flushedBytes.inc(bytes);
      compactor.signal();
    }

    @Override
    public void stalled(long nanos) {
      metrics.stalls.inc();
      metrics.stalledNanos.inc(nanos);
    }

    @Override
    public void waitsForMerges() {
      compactor.retry();
    }

    @Override
    public void troubled(String what, Throwable cause) {
      LOG.log(System.Logger.Level.WARNING, what, cause);
    }

    @Override
    public void failed(String what, Throwable cause) {
      LOG.log(System.Logger.Level.ERROR, "the store is read-only: " + what, cause);
    }
  }

  /** Counts what the compactor does, and passes it on. */
  private final class Merges implements CompactionListener {
    @Override
    public void rearranged(Plan plan, long bytes) {
      if (plan instanceof Plan.Move) {
        metrics.moves.inc();
        metrics.movedBytes.inc(bytes);
      } else if (plan instanceof Plan.Delay) {
        metrics.delays.inc();
        metrics.delayedBytes.inc(bytes);
      } else {
        metrics.drops.inc();
        metrics.droppedBytes.inc(bytes);
      }
      writes.signal();
    }

    @Override
    public void merged(Plan.Merge plan, long bytesRead, long bytesWritten) {
      metrics.mergeSteps.inc();
      metrics.mergeReadBytes.inc(bytesRead);
      metrics.mergedBytes.inc(bytesWritten);
      writes.signal();
    }

    @Override
    public void failed(String what, Throwable cause) {
      metrics.failedPlans.inc();
      LOG.log(System.Logger.Level.ERROR, "a plan failed: " + what, cause);
      Throwable end = manifest.failure();
      if (end != null) {
        writes.fail("the manifest could not be written", end);
      }
      writes.mergeFailed(cause);
    }
  }
}
