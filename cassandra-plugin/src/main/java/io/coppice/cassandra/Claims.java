// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.policy.Plan;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims SSTables and turns decisions into tasks. A claim is all or nothing and fails when
 * something else has taken an SSTable meanwhile; then there is no task. The task owns the claim.
 * Used under its strategy's monitor.
 */
final class Claims {

  private static final Logger LOGGER = LoggerFactory.getLogger(Claims.class);

  private final ColumnFamilyStore cfs;
  private final long tableBytes;
  private final TableFigures figures;
  private final Inventory inventory;

  Claims(ColumnFamilyStore cfs, long tableBytes, TableFigures figures, Inventory inventory) {
    this.cfs = cfs;
    this.tableBytes = tableBytes;
    this.figures = figures;
    this.inventory = inventory;
  }

  /** A task for a plan that has been checked. */
  Optional<AbstractCompactionTask> start(Inventory.Snapshot snapshot, Plan plan, long gcBefore) {
    if (!(plan instanceof Plan.Placing placing)) {
      throw new IllegalArgumentException("Cassandra alone decides what is dead: " + plan);
    }
    int level = placing.target().level();
    String reason = plan.reason().sentence();
    if (!(plan instanceof Plan.Merge)) {
      return move(snapshot, plan.slices(), level, reason);
    }
    return snapshot
        .readers(plan.slices())
        .flatMap(readers -> merge(readers, level, gcBefore, reason));
  }

  /** A task that gives SSTables another level. */
  Optional<AbstractCompactionTask> move(
      Inventory.Snapshot snapshot, List<Long> ids, int level, String reason) {
    return snapshot
        .readers(ids)
        .flatMap(this::claim)
        .map(
            claim -> {
              started("move", claim, level, reason);
              return new MoveTask(cfs, claim, level, figures);
            });
  }

  /** A task that rewrites SSTables to a level. */
  Optional<AbstractCompactionTask> merge(
      Collection<SSTableReader> sstables, int level, long gcBefore, String reason) {
    return claim(sstables)
        .map(
            claim -> {
              started("merge", claim, level, reason);
              return new MergeTask(cfs, claim, gcBefore, level, tableBytes, figures);
            });
  }

  /** A task that claims nothing and does nothing. */
  AbstractCompactionTask nothing(long gcBefore) {
    LifecycleTransaction empty = claim(List.of()).orElseThrow();
    return new MergeTask(cfs, empty, gcBefore, 0, tableBytes, figures);
  }

  private Optional<LifecycleTransaction> claim(Collection<SSTableReader> sstables) {
    return Optional.ofNullable(cfs.getTracker().tryModify(sstables, OperationType.COMPACTION));
  }

  private void started(String verb, LifecycleTransaction claim, int level, String reason) {
    inventory.started(level, claim.originals());
    String sentence =
        verb
            + " of "
            + claim.originals().size()
            + " SSTables to level "
            + level
            + ", because "
            + reason;
    figures.decided(sentence);
    LOGGER.info("{}.{}: {}", cfs.getKeyspaceName(), cfs.name, sentence);
  }
}
