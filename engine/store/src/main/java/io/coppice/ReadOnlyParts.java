// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.thread.WorkerThreads;
import io.coppice.compaction.Compactor;
import io.coppice.compaction.context.CompactionContext;
import io.coppice.compaction.context.CompactionListener;
import io.coppice.entry.EntryHooks;
import io.coppice.entry.StoreClock;
import io.coppice.io.Disk;
import io.coppice.io.disk.DiskSpaceReserve;
import io.coppice.io.disk.ReadOnlyDisk;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.SnapshotList;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.Memtable;
import io.coppice.policy.Plan;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.read.LookupContext;
import io.coppice.recovery.LoadedLogs;
import io.coppice.recovery.TruncatedManifestCheck;
import io.coppice.table.OpenTables;
import io.coppice.version.ManifestState;
import io.coppice.write.family.FamilyWriteLimits;
import java.io.IOException;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Parts of a store opened for reading: the versions of its manifest, its tables, and its logs in
 * memory. Its compactor asks the store's own policies for plans but carries out none.
 *
 * @param lastSequence the newest sequence number
 */
record ReadOnlyParts(
    Disk disk,
    Manifest manifest,
    OpenTables tables,
    LookupContext context,
    Families families,
    Compactor compactor,
    StoreClock clock,
    long lastSequence) {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /**
   * Opens a store without a single write.
   *
   * @param open receives what is to be closed, in the order of opening; the disk is in it already
   */
  static ReadOnlyParts open(
      Disk bare, StoreOptions options, DecisionJournal journal, Deque<AutoCloseable> open)
      throws IOException {
    Disk disk = new ReadOnlyDisk(bare);
    Manifest manifest =
        Manifest.openReadOnly(disk, found -> TruncatedManifestCheck.check(disk, found));
    open.push(manifest);
    Families families = Families.asTheyAre(manifest, options, disk.describe());
    OpenTables tables =
        OpenTables.openForReading(
            disk, options.memory(), options.blockCache(), manifest.state().tables());
    open.push(families.unlessRead(tables));
    LookupContext context = StoreOpener.searching(disk, options, System::nanoTime);
    open.push(families.unlessRead(context));
    tables.damaged().forEach(damage -> LOG.log(System.Logger.Level.ERROR, damage.getMessage()));
    ChunkPool pool = new ChunkPool(options.memory(), 0);
    open.push(pool);
    StoreClock clock = new StoreClock(options.clock());
    clock.raise(manifest.state().marks().clockFloor());
    open.push(families::closeMemtables);
    LoadedLogs logs = LoadedLogs.load(disk, manifest.state(), pool);
    // Loaded memtables that no family has taken over yet.
    Map<Integer, Memtable> waiting = new HashMap<>(logs.memtables());
    open.push(() -> waiting.values().forEach(Memtable::release));
    WorkerThreads workers = new WorkerThreads();
    Compactor compactor = new Compactor(workers, journal, options.maxTransientSpace(), 0);
    for (ManifestState.Family living : manifest.state().families()) {
      PolicySpec policy = families.policy(living.number());
      EntryHooks hooks = options.extensions(living.name(), clock);
      FamilyParts family =
          FamilyParts.of(
              manifest.family(living.number()),
              new FamilyWriteLimits(policy.tableBytes(), policy.restingRuns()),
              tables,
              context,
              logs::lastSequence,
              hooks,
              new NothingDone());
      Memtable loaded = waiting.remove(living.number());
      if (loaded != null) {
        family.writeState().memtables().activate(loaded);
      }
      families.add(family);
      compactor.add(
          family.compactionContext(
              policy,
              new CompactionContext(
                  workers,
                  disk,
                  null,
                  null,
                  DiskSpaceReserve.open(disk, () -> 0),
                  () -> 0,
                  tables,
                  new SnapshotList(),
                  hooks,
                  manifest::nextNumber,
                  policy.tableBytes())));
    }
    LOG.log(
        System.Logger.Level.INFO,
        "opened {0} for reading, with {1} tables and {2} entries of logs",
        disk.describe(),
        tables.size(),
        logs.entries());
    return new ReadOnlyParts(
        disk, manifest, tables, context, families, compactor, clock, logs.lastSequence());
  }

  /** Listener that must never be called. */
  private static final class NothingDone implements CompactionListener {
    @Override
    public void rearranged(Plan plan, long bytes) {
      throw new AssertionError("a plan in a store that is only read");
    }

    @Override
    public void merged(Plan.Merge plan, long bytesRead, long bytesWritten, long nanos) {
      throw new AssertionError("a merge in a store that is only read");
    }

    @Override
    public void failed(String what, Throwable cause) {
      throw new AssertionError("a plan in a store that is only read", cause);
    }
  }
}
