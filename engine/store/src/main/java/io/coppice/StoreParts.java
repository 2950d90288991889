// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.ClosedException;
import io.coppice.base.DiskFullException;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.NameText;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.StackCheckedLock;
import io.coppice.base.WorkerThreads;
import io.coppice.base.Workers;
import io.coppice.compaction.CompactionContext;
import io.coppice.compaction.CompactionListener;
import io.coppice.compaction.CompactionRateLimiter;
import io.coppice.compaction.Compactor;
import io.coppice.compaction.ObsoleteTableCleaner;
import io.coppice.entry.EntryHooks;
import io.coppice.entry.StoreClock;
import io.coppice.io.BlockReader;
import io.coppice.io.Disk;
import io.coppice.io.DiskSpaceReserve;
import io.coppice.io.FailStopDisk;
import io.coppice.manifest.FamilyVersions;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.ManifestState;
import io.coppice.manifest.ManifestStateLease;
import io.coppice.manifest.SnapshotList;
import io.coppice.manifest.VersionEdit;
import io.coppice.memtable.ChunkPool;
import io.coppice.metrics.StoreMetricId;
import io.coppice.metrics.StoreMetrics;
import io.coppice.policy.Plan;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.tuner.RewriteAllowance;
import io.coppice.policy.tuner.RungSwitch;
import io.coppice.policy.tuner.Tuner;
import io.coppice.read.FamilyReader;
import io.coppice.read.LookupContext;
import io.coppice.recovery.Checkpoint;
import io.coppice.recovery.LoadedLogs;
import io.coppice.recovery.Recovery;
import io.coppice.recovery.TruncatedManifestCheck;
import io.coppice.table.OpenTables;
import io.coppice.table.TableMeta;
import io.coppice.wal.WalWriter;
import io.coppice.write.FamilyWriteLimits;
import io.coppice.write.FamilyWriteState;
import io.coppice.write.RecoveredLog;
import io.coppice.write.WriteContext;
import io.coppice.write.WriteListener;
import io.coppice.write.WritePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Parts of an open store, built in the order of their dependencies and closed in reverse order.
 * Safe to share between threads.
 */
final class StoreParts {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /** Part of the memory budget that may hold free chunks for the next memtable. */
  private static final int SPARE_SHARE = 8;

  private static final long RESERVED_TABLES = 9;

  private static final int RESERVED_SHARE = 4;

  /** Delay before the next attempt at a sample that was skipped during a change of families. */
  private static final long TUNE_AGAIN_NANOS = 1_000_000_000L;

  private static final int KEPT_DECISIONS = 1000;

  /** Bound of the journal: shapes of a hundred slices each, some 15 MB of heap at most. */
  private static final int KEPT_SLICES = 100 * KEPT_DECISIONS;

  private final Workers workers;
  private final Deque<AutoCloseable> open = new LinkedList<>();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final DecisionJournal journal = new DecisionJournal(KEPT_DECISIONS, KEPT_SLICES);
  private final SnapshotList snapshots = new SnapshotList();

  private StoreOptions options;
  private Disk disk;
  private StoreMetrics metrics;
  private DiskSpaceReserve reserve;
  private ObsoleteTableCleaner cleaner;
  private CompactionRateLimiter mergeRate;
  private Manifest manifest;
  private ChunkPool pool;
  private OpenTables tables;
  private LookupContext searching;
  private Families families;

  /**
   * Write path, or null if the store was opened for reading; only then {@link #lastSequence} is
   * set.
   */
  private @Nullable WritePath writes;

  private long lastSequence;
  private Compactor compactor;
  private StoreClock clock;

  /** Tuning of adaptive policies, or null if the store was opened for reading. */
  private @Nullable TunerWorker tuning;

  /** Held while a family is created, changed or dropped. */
  private final ReentrantLock changingFamilies = new StackCheckedLock();

  private StoreParts(Workers workers) {
    this.workers = workers;
  }

  static StoreParts open(Disk disk, StoreOptions options) throws IOException {
    return open(disk, options, new WorkerThreads());
  }

  /** Opens a store; the given workers run its background work. */
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
    return complete(new StoreParts(workers), parts -> parts.build(disk, options));
  }

  /**
   * Opens a store without a single write; methods that need one throw {@link ReadOnlyException}.
   */
  static StoreParts openReadOnly(Disk disk, StoreOptions options) throws IOException {
    return complete(
        new StoreParts(new WorkerThreads()), parts -> parts.buildReadOnly(disk, options));
  }

  private interface Building {
    void run(StoreParts parts) throws IOException;
  }

  /** Builds the parts; if that fails, closes those that are open. */
  private static StoreParts complete(StoreParts parts, Building building) throws IOException {
    try {
      building.run(parts);
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

  private void buildReadOnly(Disk bare, StoreOptions given) throws IOException {
    options = given;
    open.push(bare);
    metrics = new StoreMetrics(options.metrics(), options.name());
    open.push(metrics::close);
    if (options.jmx()) {
      metrics.showAsBeans();
    }
    take(ReadOnlyParts.open(bare, options, journal, open));
    tell();
    // Popped first, since the metrics query the other parts; the second close does nothing.
    open.push(metrics::close);
  }

  private void take(ReadOnlyParts readOnly) {
    disk = readOnly.disk();
    manifest = readOnly.manifest();
    tables = readOnly.tables();
    searching = readOnly.context();
    families = readOnly.families();
    compactor = readOnly.compactor();
    clock = readOnly.clock();
    lastSequence = readOnly.lastSequence();
  }

  private void build(Disk bare, StoreOptions given) throws IOException {
    options = given;
    open.push(bare);
    reserve = DiskSpaceReserve.open(bare, this::reserveBytes);
    FailStopDisk guarded = new FailStopDisk(bare, reserve);
    disk = guarded;
    metrics = new StoreMetrics(options.metrics(), options.name());
    if (options.jmx()) {
      metrics.showAsBeans();
    }
    open.push(metrics::close);
    manifest =
        Manifest.open(
            disk, options.manifestBytes(), found -> TruncatedManifestCheck.check(guarded, found));
    open.push(manifest);
    families = Families.settle(manifest, options, disk.describe());
    clock = new StoreClock(options.clock());
    clock.raise(manifest.state().marks().clockFloor());
    long claim = options.memtableClaimBytes();
    options.memory().claimForMemtables(claim);
    open.push(() -> options.memory().claimForMemtables(-claim));
    tables =
        OpenTables.open(
            disk,
            options.memory(),
            options.tables(),
            options.filters(),
            options.blockCache(),
            options.warmBytes(),
            manifest.state().tables());
    open.push(families.unlessRead(tables));
    searching = searching(disk, options, workers::nanoTime);
    open.push(families.unlessRead(searching));
    tables.damaged().forEach(damage -> LOG.log(System.Logger.Level.ERROR, damage.getMessage()));
    cleaner =
        new ObsoleteTableCleaner(
            tables, workers, options.name() + "-clean", manifest::settle, StoreParts::notRemoved);
    open.push(cleaner);
    manifest.retireTo(cleaner::add, cleaner::wake);
    tables.evictFilters(
        (table, task) ->
            manifest.afterReaders(
                table,
                () -> {
                  task.run();
                  cleaner.wake();
                }));
    pool = new ChunkPool(options.memory(), spareChunks(options));
    open.push(pool);

    Supplier<Recovery> recoveries =
        () ->
            new Recovery(
                disk,
                manifest,
                tables,
                pool,
                options.memtableBytes(),
                family -> sizes(families.policy(family)));
    Recovery recovery = recoveries.get();
    List<RecoveredLog> recovered;
    try {
      recovered = recovery.run();
    } catch (DiskFullException e) {
      if (!reserve.release()) {
        throw e;
      }
      recovery = recoveries.get();
      recovered = recovery.run();
    }
    if (recovery.droppedBytes() > 0) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0}: {1} bytes at the torn end of the log were never acknowledged as synced and are left"
              + " out",
          disk.describe(),
          recovery.droppedBytes());
    }

    List<RecoveredLog> notTaken = new ArrayList<>(recovered);
    open.push(() -> notTaken.forEach(RecoveredLog::release));
    tables.syncIn(workers, options.name() + "-sync");
    checkMemory();
    open.push(families::closeMemtables);
    mergeRate = new CompactionRateLimiter(workers, options.mergeRate());
    compactor =
        new Compactor(workers, journal, options.maxTransientSpace(), options.memtableBytes());
    compactor.writersDebt(this::writePressure);
    tuning = new TunerWorker(workers, options.name() + "-tune", this::tuneAll, this::tuningFailed);
    for (ManifestState.Family family : manifest.state().families()) {
      add(family.number());
    }
    WriteContext context =
        new WriteContext(
            workers,
            disk,
            reserve,
            manifest,
            tables,
            snapshots,
            pool,
            new Writes(),
            options.memtableBytes(),
            compactor::backlogDebt,
            options.name());
    writes = beginWrites(context, recovered, recovery.lastSequence());
    notTaken.clear();
    open.push(compactor);
    open.push(writes);
    guarded.onStop(cause -> writes.fail(cause.getMessage(), cause));
    manifest.onFailure(cause -> writes.fail("the manifest could not be written", cause));
    reserve.ensure();
    metrics.gauge(StoreMetricId.MEMORY_BYTES, options.memory()::usedBytes);
    metrics.number(StoreMetricId.WRITE_DELAY, writes::delayNanosPerByte);
    metrics.gauge(StoreMetricId.READ_ONLY, () -> writes.failed() ? 1 : 0);
    tell();
    // Pushed once more, to be popped first: the parts that metrics query must be open until then.
    open.push(metrics::close);
    compactor.pause();
    compactor.start(options.mergeSlots(), options.name());
    open.push(tuning);
    for (FamilyParts family : families.all()) {
      tuneFirst(family);
    }
    LOG.log(
        System.Logger.Level.INFO,
        "opened {0}, {1} tables, {2} families, policy {3}",
        disk.describe(),
        tables.size(),
        families.all().size(),
        options.policy());
  }

  /** Creates the first log for writes. Before that, the manifest names the oldest living log. */
  private WritePath beginWrites(
      WriteContext context, List<RecoveredLog> recovered, long lastSequence) throws IOException {
    long number = manifest.nextNumber();
    WalWriter log = WalWriter.create(disk, number);
    try {
      if (!manifest.state().marks().floorBegun()) {
        long oldest = recovered.isEmpty() ? number : recovered.get(0).number();
        manifest.install(VersionEdit.builder().walFloor(oldest, true).build());
      }
      List<FamilyWriteState> written = families.all().stream().map(FamilyParts::written).toList();
      return new WritePath(context, written, recovered, log, number, lastSequence);
    } catch (IOException | RuntimeException | Error e) {
      log.close();
      throw e;
    }
  }

  /** Creates the parts of a living family; the caller adds it to the write path. */
  private FamilyParts add(int number) {
    PolicySpec policy = families.policy(number);
    FamilyVersions versions = manifest.family(number);
    EntryHooks hooks = options.extensions(versions.name(), clock);
    FamilyParts family =
        FamilyParts.of(
            versions, sizes(policy), tables, searching, this::visible, hooks, new Merges());
    family.counts().policy(policy.toString());
    families.add(family);
    compactor.add(family.compacted(policy, merges(policy, hooks)));
    FamilyMetrics figures =
        new FamilyMetrics(family, compactor, this::transientLimit, workers::nanoTime);
    family.counts().figures(figures);
    figures.register(metrics);
    return family;
  }

  /** Returns the transient bytes that merges may take: the option, or the free disk if less. */
  private long transientLimit() {
    try {
      return Math.min(options.maxTransientSpace(), disk.freeBytes());
    } catch (IOException e) {
      return options.maxTransientSpace();
    }
  }

  /** Registers the metrics that are computed on request. */
  private void tell() {
    metrics.number(CompactionMetricId.LIVE_BYTES, () -> manifest.tableBytes());
    metrics.number(CompactionMetricId.PINNED_BYTES, manifest::pinnedBytes);
    metrics.gauge(StoreMetricId.CACHE_BYTES, () -> tables.cacheFigures().bytes());
    metrics.gauge(StoreMetricId.CACHE_HITS, () -> tables.cacheFigures().hits());
    metrics.gauge(StoreMetricId.CACHE_MISSES, () -> tables.cacheFigures().misses());
    metrics.gauge(StoreMetricId.FILTERS_LOADED, () -> tables.filterFigures().loaded());
    metrics.gauge(StoreMetricId.FILTERS_ABSENT, () -> tables.filterFigures().absent());
    metrics.gauge(StoreMetricId.FILTER_EVICTIONS, () -> tables.filterFigures().evictions());
    metrics.number(CompactionMetricId.FILTER_BYTES, () -> tables.filterFigures().bytes());
    new LookupMetrics(searching, workers::nanoTime).register(metrics);
  }

  /** Returns the search settings of lookups; they are closed before the tables. */
  static LookupContext searching(Disk disk, StoreOptions options, LongSupplier nanoTime) {
    BlockReader reader = disk.blockReader(options.blockReader());
    return new LookupContext(
        reader, options.search(), options.searchWidth(), options.counting(), nanoTime);
  }

  private FamilyWriteLimits sizes(PolicySpec policy) {
    return new FamilyWriteLimits(policy.tableBytes(), policy.restingRuns());
  }

  private CompactionContext merges(PolicySpec policy, EntryHooks hooks) {
    return new CompactionContext(
        workers,
        disk,
        cleaner,
        mergeRate,
        reserve,
        this::unflushedBytes,
        tables,
        snapshots,
        hooks,
        manifest::nextNumber,
        policy.tableBytes());
  }

  private long unflushedBytes() {
    return families.all().stream().mapToLong(one -> one.written().memtables().bytes()).sum();
  }

  /** Waits until the tables that are obsolete now are deleted. */
  void clean() {
    cleaner.clean();
  }

  private void checkMemory() {
    if (!pool.hasRoom(options.memtableBytes())) {
      long left = options.memory().capacityBytes() - options.memory().usedBytes();
      throw new InvalidOptionsException(
          List.of(
              "memory ("
                  + options.memory().capacityBytes()
                  + " bytes, of which "
                  + left
                  + " are left in this memory budget) must have room for a memtable of"
                  + " memtableBytes ("
                  + options.memtableBytes()
                  + ") when a store is opened"));
    }
  }

  /**
   * Creates a family and opens it for reads and writes.
   *
   * @throws IllegalArgumentException if the name is taken
   * @throws io.coppice.base.StalledException if the thread is interrupted while it waits; nothing
   *     was changed
   */
  FamilyParts create(String name, PolicySpec policy) throws IOException {
    changingFamilies.lock();
    try {
      checkOpen();
      // After a crash the store then shows a prefix of all changes, this one included.
      writes().sync();
      int number = families.create(name, policy, options.mergeOperator(name));
      FamilyParts family = add(number);
      writes.add(family.written());
      tuneFirst(family);
      return family;
    } finally {
      changingFamilies.unlock();
    }
  }

  /** Drops a family: stops its merges, then its writes, then removes all its tables. */
  void drop(FamilyParts family) throws IOException, InterruptedException {
    changingFamilies.lock();
    try {
      checkOpen();
      if (family.written().dropped()) {
        return;
      }
      writes();
      family.written().dropping(true);
      writes.signal();
      try {
        compactor.stop(family.number());
        writes.drop(family.written(), () -> families.drop(family));
        metrics.forget(family.name());
        compactor.remove(family.number());
        journal.forget(family.name());
      } finally {
        if (!family.written().dropped()) {
          family.written().dropping(false);
          compactor.restart(family.number());
        }
      }
    } finally {
      changingFamilies.unlock();
    }
  }

  /** Changes the policy of a family durably. */
  void policy(FamilyParts family, PolicySpec policy) throws IOException {
    changingFamilies.lock();
    try {
      checkOpen();
      if (family.written().dropped()) {
        throw new ClosedException(
            "the family " + NameText.quoted(family.name()) + ", which was dropped,");
      }
      writes();
      PolicySpec before = families.inForce(family.number());
      families.policy(family.number(), policy);
      if (!policy.equals(before)) {
        tuned(family);
      }
      decides(family, policy, "it was chosen for the family");
    } finally {
      changingFamilies.unlock();
    }
  }

  private void decides(FamilyParts family, PolicySpec policy, String reason) {
    family.written().sizes(sizes(policy));
    family.counts().policy(policy.toString());
    compactor.policy(family.number(), policy, merges(policy, family.hooks()), reason);
  }

  /**
   * Changes the policy of a family until the store is closed; the manifest keeps its own.
   *
   * @param change maps the policy in force to the new one
   * @return the policy now in force
   */
  PolicySpec tune(FamilyParts family, UnaryOperator<PolicySpec> change) {
    changingFamilies.lock();
    try {
      checkOpen();
      if (family.written().dropped()) {
        throw new ClosedException(
            "the family " + NameText.quoted(family.name()) + ", which was dropped,");
      }
      writes();
      PolicySpec before = families.inForce(family.number());
      PolicySpec next = change.apply(before);
      if (!next.equals(before)) {
        families.tune(family.number(), next);
        tuned(family);
        decides(family, next, "it was chosen until the store is closed");
        LOG.log(
            System.Logger.Level.INFO,
            "{0}: family {1} has {2} from now on, until the store is closed; before: {3}",
            disk.describe(),
            NameText.quoted(family.name()),
            next,
            before);
      }
      return next;
    } finally {
      changingFamilies.unlock();
    }
  }

  /** Starts tuning of a new family if its policy adapts to the load. */
  private void tuneFirst(FamilyParts family) {
    if (Tuner.tunes(families.inForce(family.number()))) {
      tuned(family);
    }
  }

  /**
   * Notifies the tuner of a policy that it did not choose, which starts its minimum dwell time as
   * well. Called before the policy decides: the policy is asked at once, and merges may by then
   * read what the tuner allows. The caller holds {@link #changingFamilies}.
   */
  private void tuned(FamilyParts family) {
    PolicySpec inForce = families.inForce(family.number());
    tuning.guard(() -> observe(family, inForce));
    if (Tuner.tunes(inForce)) {
      tuning.wake();
    }
  }

  private void observe(FamilyParts family, PolicySpec inForce) {
    family
        .tuner()
        .observe(inForce, workers.nanoTime(), () -> compactor.sight(family.number()))
        .ifPresent(made -> switched(family, made));
  }

  /** Takes the samples that are due. Returns the nanoseconds until the next one. */
  private long tuneAll() {
    long rest = Workers.UNTIL_WOKEN;
    for (FamilyParts family : families.all()) {
      rest = Math.min(rest, tune(family));
    }
    return rest;
  }

  /** Takes a family's sample if it is due. Returns the nanoseconds until the next one. */
  private long tune(FamilyParts family) {
    PolicySpec inForce = families.inForce(family.number());
    if (inForce == null || !Tuner.tunes(inForce)) {
      return Workers.UNTIL_WOKEN;
    }
    long left = family.tuner().untilDue(workers.nanoTime());
    if (left > 0) {
      return left;
    }
    // Never waits: the holder of the lock may wait long, and a lost sample does no harm. If one
    // thread runs all work, the holder may be the caller that runs this step.
    if (changingFamilies.isHeldByCurrentThread() || !changingFamilies.tryLock()) {
      return TUNE_AGAIN_NANOS;
    }
    try {
      PolicySpec decides = families.inForce(family.number());
      if (closing() || family.written().dropped() || !Tuner.tunes(decides)) {
        return Workers.UNTIL_WOKEN;
      }
      observe(family, decides);
      return family.tuner().untilDue(workers.nanoTime());
    } finally {
      changingFamilies.unlock();
    }
  }

  /** Puts a tuner's policy switch in force. The caller holds {@link #changingFamilies}. */
  private void switched(FamilyParts family, RungSwitch made) {
    families.tune(family.number(), made.after());
    decides(family, made.after(), made.reason().sentence());
    journal.note(family.name(), made);
    family.counts().switched(made);
    LOG.log(
        System.Logger.Level.INFO,
        "{0}: family {1} has {2} from now on, until it is chosen anew or the store is closed: {3}",
        disk.describe(),
        NameText.quoted(family.name()),
        made.after(),
        made.reason().sentence());
  }

  /** Keeps all policies as they are and lifts the limits of their merges. */
  private void tuningFailed(Throwable cause) {
    log(
        System.Logger.Level.WARNING,
        "no policy follows its load any more, until the store is opened again",
        cause);
    for (FamilyParts family : families.all()) {
      family.budget().allow(RewriteAllowance.ANY);
    }
    compactor.signal();
  }

  private void checkOpen() {
    if (closing()) {
      throw new ClosedException("the store");
    }
  }

  /**
   * Returns the number of free chunks to keep: enough to refill a memtable without a system call if
   * the memory budget is large.
   */
  private static int spareChunks(StoreOptions options) {
    long bytes = Math.min(options.memtableBytes(), options.memory().capacityBytes() / SPARE_SHARE);
    return (int) (bytes / ChunkPool.CHUNK_BYTES);
  }

  /**
   * Returns the bytes of the disk space reserve. On a full disk a merge step writes one table
   * before it can delete the first of its inputs, one from each run. The reserve holds that for
   * each merge slot, and room for a flush, but in a small store at most a quarter of the bytes of
   * its tables.
   */
  private long reserveBytes() {
    if (families == null) {
      return 0;
    }
    long whole = options.mergeSlots() * RESERVED_TABLES * families.largestTableBytes();
    // A flush releases its room together with its log, while merges continue.
    long flush = options.memtableBytes() + options.memtableBytes() / 2;
    return Math.min(whole + flush, manifest.tableBytes() / RESERVED_SHARE);
  }

  private static void notRemoved(TableMeta table, IOException cause) {
    log(System.Logger.Level.WARNING, "table " + table.number() + " was not removed", cause);
  }

  /** Logs from a worker, which must survive an exception of the application's logger. */
  private static void log(System.Logger.Level level, String what, Throwable cause) {
    try {
      LOG.log(level, what, cause);
    } catch (RuntimeException | Error e) {
      // No other destination is left for the message.
    }
  }

  /**
   * Returns the write path.
   *
   * @throws ReadOnlyException if the store was opened for reading
   */
  WritePath writes() {
    if (writes == null) {
      throw ReadOnlyException.openForReading(disk.describe());
    }
    return writes;
  }

  /** Writes a checkpoint of the visible state to an empty disk. */
  Checkpoint checkpoint(Disk target, DoubleConsumer progress) throws IOException {
    if (writes != null) {
      writes.flush();
    }
    try (ManifestStateLease lease = manifest.leaseAll()) {
      ManifestState state = lease.state();
      List<Long> logs = writes == null ? LoadedLogs.living(disk, state) : List.of();
      return Checkpoint.write(disk, state, logs, target, progress);
    }
  }

  /** Returns the present versions, without a lease. */
  ManifestState state() {
    return manifest.state();
  }

  /** Returns the disk of the store's files. */
  Disk disk() {
    return disk;
  }

  /** Returns the newest sequence number that readers may see. */
  long visible() {
    return writes == null ? lastSequence : writes.visible();
  }

  Families families() {
    return families;
  }

  /** Returns the reader of the default family. */
  FamilyReader reader() {
    return families.defaultOne().reader();
  }

  /** Returns the search settings of lookups. */
  LookupContext context() {
    return searching;
  }

  SnapshotList snapshots() {
    return snapshots;
  }

  /** Returns the clock for the expiry of entries. */
  StoreClock clock() {
    return clock;
  }

  Compactor compactor() {
    return compactor;
  }

  /** Returns the rate limit of merges. */
  CompactionRateLimiter mergeRate() {
    return mergeRate;
  }

  /** Pauses compaction and waits until no merge runs. */
  void pauseCompaction(boolean atOnce) throws InterruptedException {
    writes().mergesPaused(true);
    if (atOnce) {
      compactor.cancel();
    } else {
      compactor.pause();
    }
    compactor.awaitPaused();
  }

  void resumeCompaction() {
    writes().mergesPaused(false);
    compactor.resume();
  }

  /**
   * Returns the highest write pressure of any family, from 0 to 1; at 1 writers stop and wait for
   * merges.
   */
  private double writePressure() {
    double debt = 0;
    for (FamilyParts family : families.all()) {
      try {
        debt = Math.max(debt, family.written().pressure());
      } catch (ClosedException e) {
        // A family dropped during this call causes no pressure.
      }
    }
    return debt;
  }

  /** Returns whether this call is the first one, which must go on to close the store. */
  boolean startClosing() {
    return closing.compareAndSet(false, true);
  }

  boolean closing() {
    return closing.get();
  }

  List<Decision> decisions() {
    if (writes == null && journal.decisions().isEmpty()) {
      compactor.ask();
    }
    return journal.decisions();
  }

  /** Returns the tuning of policies, or null if the store was opened for reading. */
  @Nullable TunerWorker tuning() {
    return tuning;
  }

  /** Returns the policy switches made by tuners. */
  List<DecisionJournal.FamilySwitch> switches() {
    return journal.switches();
  }

  /** Returns the bytes allocated off the heap, as counted by the allocators. */
  long directBytes() {
    return tables.directBytes() + pool.directBytes();
  }

  /** Returns the source of the store's statistics. */
  StoreStatsCollector figures() {
    return new StoreStatsCollector(
        options, metrics, manifest, families, tables, searching, compactor, writes);
  }

  /** Closes all open parts, newest first. Continues after failures and throws the first one. */
  void close() throws IOException {
    Throwable failure = null;
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Throwable e) {
        if (failure == null) {
          failure = e;
        } else if (failure != e) {
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
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure != null) {
      throw new IOException(failure);
    }
  }

  /** Listener of the write path: counts its events and passes them on. */
  private final class Writes implements WriteListener {
    @Override
    public void accepted(long bytes) {
      if (options.counting()) {
        metrics.acceptedBytes.inc(bytes);
      }
    }

    @Override
    public void flushed(long bytes) {
      metrics.flushes.inc();
      metrics.flushedBytes.inc(bytes);
      for (FamilyParts family : families.all()) {
        family.counts().written();
      }
      compactor.signal();
    }

    @Override
    public void stalled(long nanos) {
      metrics.stalls.inc();
      metrics.stalledNanos.inc(nanos);
    }

    @Override
    public void waitsForMerges(int family) {
      compactor.retry(family);
    }

    @Override
    public void troubled(String what, Throwable cause) {
      log(System.Logger.Level.WARNING, what, cause);
    }

    @Override
    public void failed(String what, Throwable cause) {
      log(System.Logger.Level.ERROR, "the store is read-only: " + what, cause);
    }
  }

  /** Listener of the compactor: counts its events and passes them on. */
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
    public void stuck(String why) {
      writes.signal();
    }

    @Override
    public void merged(Plan.Merge plan, long bytesRead, long bytesWritten, long nanos) {
      metrics.mergeSteps.inc();
      metrics.mergeReadBytes.inc(bytesRead);
      metrics.mergedBytes.inc(bytesWritten);
      writes.signal();
    }

    @Override
    public void failed(String what, Throwable cause) {
      metrics.failedPlans.inc();
      log(System.Logger.Level.ERROR, "a plan failed: " + what, cause);
      writes.signal();
    }
  }
}
