// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.cassandra.state.TableState;
import java.util.Set;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.Directories;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.ActiveCompactionsTracker;
import org.apache.cassandra.db.compaction.writers.CompactionAwareWriter;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.CorruptSSTableException;
import org.apache.cassandra.io.sstable.format.SSTableFormat.Components;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.sstable.metadata.StatsMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compaction task that changes the level of SSTables by rewriting their statistics; it reads and
 * writes no rows. The task is not atomic: after a crash some SSTables have the new level and others
 * the old one, and both are legal.
 */
public final class MoveTask extends AbstractCompactionTask {

  private static final Logger LOGGER = LoggerFactory.getLogger(MoveTask.class);

  private final int level;
  private final TableState state;
  private final OngoingMerges merges;

  /**
   * Creates a task for claimed SSTables.
   *
   * @param transaction a claim over the SSTables; the task closes it
   * @param level the new level
   * @param merges notified when all SSTables have moved or the task has failed; the failure is
   *     thrown as well
   */
  public MoveTask(
      ColumnFamilyStore cfs,
      LifecycleTransaction transaction,
      int level,
      TableState state,
      OngoingMerges merges) {
    super(cfs, transaction);
    this.level = level;
    this.state = state;
    this.merges = merges;
  }

  @Override
  public CompactionAwareWriter getCompactionAwareWriter(
      ColumnFamilyStore table,
      Directories directories,
      LifecycleTransaction inputs,
      Set<SSTableReader> nonExpired) {
    throw new UnsupportedOperationException("a move writes no data");
  }

  @Override
  protected int executeInternal(ActiveCompactionsTracker active) {
    Set<SSTableReader> moved = Set.copyOf(transaction.originals());
    try {
      run();
    } catch (RuntimeException | Error e) {
      merges.owner().failed(moved, level, 0, e);
      throw e;
    }
    return moved.size();
  }

  @Override
  protected void runMayThrow() {
    for (SSTableReader sstable : Set.copyOf(transaction.originals())) {
      move(sstable);
      transaction.cancel(sstable);
    }
    transaction.prepareToCommit();
    transaction.commit();
    merges.changed();
  }

  private void move(SSTableReader sstable) {
    StatsMetadata before = sstable.getSSTableMetadata();
    if (before.sstableLevel != level) {
      LOGGER.debug("Moving {} from level {} to {}", sstable, before.sstableLevel, level);
      try {
        sstable.mutateLevelAndReload(level);
      } catch (Exception e) {
        throw new CorruptSSTableException(e, sstable.descriptor.fileFor(Components.STATS));
      }
      cfs.getTracker().notifySSTableMetadataChanged(sstable, before);
    }
    state.counts().countMove(sstable.onDiskLength());
  }
}
