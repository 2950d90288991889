// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.WorkerThreads;
import io.coppice.compaction.CompactionListener;
import io.coppice.compaction.Compactor;
import io.coppice.compaction.MergeContext;
import io.coppice.io.Disk;
import io.coppice.io.ReadOnlyDisk;
import io.coppice.io.Reserve;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.ReadRequests;
import io.coppice.manifest.Snapshots;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.Memtables;
import io.coppice.policy.DecisionJournal;
import io.coppice.policy.Plan;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.PolicySpecException;
import io.coppice.read.Reader;
import io.coppice.recovery.LoadedLogs;
import io.coppice.table.OpenTables;
import java.io.IOException;
import java.util.Deque;

/**
 * The parts of a store that is only read: the version of its manifest, its tables, and its logs in
 * memory. The policy is the store's own and is asked what it would do, but nothing is done.
 *
 * @param lastSequence the newest sequence number
 */
record ReadOnlyParts(
    Disk disk,
    Manifest manifest,
    OpenTables tables,
    Memtables memtables,
    Reader reader,
    Compactor compactor,
    long lastSequence) {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /**
   * Opens a store without one write.
   *
   * @param open gets what is to be closed, in the order of opening, the disk first
   */
  static ReadOnlyParts open(
      Disk bare, StoreOptions options, DecisionJournal journal, Deque<AutoCloseable> open)
      throws IOException {
    open.push(bare);
    Disk disk = new ReadOnlyDisk(bare);
    Manifest manifest = Manifest.openReadOnly(disk);
    open.push(manifest);
    OpenTables tables =
        OpenTables.openForReading(disk, options.memory(), manifest.current().tables());
    open.push(tables);
    tables.damaged().forEach(damage -> LOG.log(System.Logger.Level.ERROR, damage.getMessage()));
    ChunkPool pool = new ChunkPool(options.memory(), 0);
    open.push(pool);
    LoadedLogs logs = LoadedLogs.load(disk, manifest.current(), pool);
    Memtables memtables = new Memtables(logs.memtable());
    open.push(memtables::closeAndWait);
    PolicySpec policy = policy(manifest.current().marks().policy(), options.policy());
    ReadRequests requests = new ReadRequests();
    MergeContext none =
        new MergeContext(
            new WorkerThreads(),
            disk,
            null,
            Reserve.open(disk, () -> 0),
            tables,
            new Snapshots(),
            manifest::nextNumber,
            policy.tableBytes(),
            Long.MAX_VALUE);
    Compactor compactor =
        new Compactor(
            manifest,
            none,
            policy,
            requests,
            journal,
            options.maxTransientSpace(),
            new NothingDone());
    Reader reader = new Reader(memtables, manifest, tables, logs::lastSequence, requests);
    LOG.log(
        System.Logger.Level.INFO,
        "opened {0} for reading, with {1} tables and {2} entries of logs",
        disk.describe(),
        tables.size(),
        logs.memtable().entries());
    return new ReadOnlyParts(
        disk, manifest, tables, memtables, reader, compactor, logs.lastSequence());
  }

  /** The policy written down in the store, unless this version does not know it. */
  private static PolicySpec policy(String text, PolicySpec otherwise) {
    try {
      return text.isEmpty() ? otherwise : PolicySpec.parse(text);
    } catch (PolicySpecException e) {
      return otherwise;
    }
  }

  /** Is never told anything. */
  private static final class NothingDone implements CompactionListener {
    @Override
    public void rearranged(Plan plan, long bytes) {
      throw new AssertionError("a plan in a store that is only read");
    }

    @Override
    public void merged(Plan.Merge plan, long bytesRead, long bytesWritten) {
      throw new AssertionError("a merge in a store that is only read");
    }

    @Override
    public void failed(String what, Throwable cause) {
      throw new AssertionError("a plan in a store that is only read", cause);
    }
  }
}
