// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import com.google.common.io.Closer;
import io.coppice.base.ClosedException;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.thread.Workers;
import io.coppice.compaction.Compactor;
import io.coppice.compaction.context.CompactionRateLimiter;
import io.coppice.compaction.context.ObsoleteTableCleaner;
import io.coppice.entry.StoreClock;
import io.coppice.io.Disk;
import io.coppice.io.disk.DiskSpaceReserve;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.ManifestStateLease;
import io.coppice.manifest.SnapshotList;
import io.coppice.memtable.ChunkPool;
import io.coppice.metrics.StoreMetrics;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.read.FamilyReader;
import io.coppice.read.LookupContext;
import io.coppice.recovery.Checkpoint;
import io.coppice.recovery.LoadedLogs;
import io.coppice.table.OpenTables;
import io.coppice.version.ManifestState;
import io.coppice.write.WritePath;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Parts of an open store. {@link StoreOpener} sets the fields in the order of their dependencies;
 * {@link #close} closes the parts in reverse order. Safe to share between threads once opened.
 */
final class StoreParts {

  static final System.Logger LOG = System.getLogger("io.coppice.Store");

  private static final int KEPT_DECISIONS = 1000;

  /**
   * Largest number of slices in all shapes of the decision journal: a hundred for each decision,
   * some 15 MB of heap at most.
   */
  private static final int KEPT_SLICES = 100 * KEPT_DECISIONS;

  final StoreOptions options;
  final Workers workers;

  final FamilyLifecycle lifecycle;

  /** Open parts, the newest first. */
  final Closer open = Closer.create();

  private final AtomicBoolean closing = new AtomicBoolean();
  final DecisionJournal journal = new DecisionJournal(KEPT_DECISIONS, KEPT_SLICES);
  final SnapshotList snapshots = new SnapshotList();

  Disk disk;
  StoreMetrics metrics;
  DiskSpaceReserve reserve;
  ObsoleteTableCleaner cleaner;
  CompactionRateLimiter compactionRate;
  Manifest manifest;
  ChunkPool pool;
  OpenTables tables;
  LookupContext searching;
  Families families;

  /**
   * Write path, or null if the store was opened for reading; only then {@link #lastSequence} is
   * set.
   */
  @Nullable WritePath writes;

  long lastSequence;
  Compactor compactor;
  StoreClock clock;

  StoreParts(StoreOptions options, Workers workers) {
    this.options = options;
    this.workers = workers;
    this.lifecycle = new FamilyLifecycle(this, options);
  }

  void checkOpen() {
    if (closing()) {
      throw new ClosedException("the store");
    }
  }

  /**
   * Logs an event of a worker. Ignores an exception of the application's logger, because it must
   * not end the worker.
   */
  static void log(System.Logger.Level level, String what, Throwable cause) {
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

  /**
   * Writes a checkpoint of the visible state to an empty disk, after a flush if the store takes
   * writes.
   *
   * @param target disk that the caller closes; after a failure it keeps the files already written
   * @param progress receives the share done, from 0 to 1, in the calling thread
   */
  Checkpoint checkpoint(Disk target, DoubleConsumer progress) throws IOException {
    if (writes != null) {
      writes.flush();
    }
    try (ManifestStateLease lease = manifest.leaseAll()) {
      ManifestState state = lease.state();
      List<Long> logs = writes == null ? LoadedLogs.fromFloor(disk, state) : List.of();
      return Checkpoint.write(disk, state, logs, target, progress);
    }
  }

  /**
   * Returns the newest sequence number that readers may see; 0 in a store without writes. It never
   * decreases.
   */
  long visible() {
    return writes == null ? lastSequence : writes.visible();
  }

  /** Returns the reader of the default family. */
  FamilyReader reader() {
    return families.defaultOne().reader();
  }

  /** Closes a snapshot and lets merges remove what it kept. */
  void closeSnapshot(long sequence) {
    snapshots.close(sequence);
    compactor.snapshotClosed();
  }

  /**
   * Pauses compaction and waits until no merge runs. After an interrupt compaction stays paused.
   *
   * @param atOnce whether running merges discard their unfinished steps, instead of ending at their
   *     next table
   */
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
   * Returns the highest write pressure of any family: 0 or more, and from 1 on writers stop and
   * wait for merges.
   */
  double writePressure() {
    double pressure = 0;
    for (FamilyParts family : families.all()) {
      try {
        pressure = Math.max(pressure, family.writeState().pressure());
      } catch (ClosedException e) {
        // A family dropped during this call causes no pressure.
      }
    }
    return pressure;
  }

  /**
   * Marks the store as closing. Returns whether this call is the first one, which must go on to
   * close the store.
   */
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

  /** Returns the newest policy switches made by tuners in all families, oldest first. */
  List<DecisionJournal.FamilySwitch> switches() {
    return journal.switches();
  }

  /** Returns the source of the store's statistics. */
  StoreStatsCollector figures() {
    return new StoreStatsCollector(this);
  }

  /** Closes all open parts, newest first. Continues after failures and throws the first one. */
  void close() throws IOException {
    open.close();
  }
}
