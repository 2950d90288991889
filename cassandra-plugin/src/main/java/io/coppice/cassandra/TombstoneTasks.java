// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.cassandra.merge.MergeTask;
import io.coppice.cassandra.sstable.PurgeRule;
import io.coppice.cassandra.sstable.SSTableInventory;
import io.coppice.policy.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.CompactionController;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Factory of tasks that remove garbage without a plan of the policy: fully expired SSTables, and
 * single SSTables with many old tombstones. It follows Cassandra's own rules, because policies see
 * no times. Called under the monitor of its strategy.
 */
final class TombstoneTasks {

  private static final Reason EXPIRED = Reason.of("expired", "all that they hold has expired");
  private static final Reason PURGES = Reason.of("tombstones", "there is something to purge");

  private record Candidate(SSTableReader sstable, double droppable) {}

  private final ColumnFamilyStore cfs;
  private final TaskFactory claims;

  TombstoneTasks(ColumnFamilyStore cfs, TaskFactory claims) {
    this.cfs = cfs;
    this.claims = claims;
  }

  /**
   * Returns a task that drops SSTables without reading them, because they contain only expired data
   * and hide no live data; empty without such SSTables, or if the claim fails.
   *
   * <p>Empty too if an index must see each row removed. Such SSTables have to be rewritten, and
   * again each time if something keeps their rows. Merges, and {@link #purge} at its own pace, do
   * that.
   *
   * @param gcBefore data that expired before this, in seconds since the epoch, may be dropped
   */
  Optional<AbstractCompactionTask> expired(SSTableInventory.Snapshot snapshot, long gcBefore) {
    if (PurgeRule.indexesWantRows(cfs)) {
      return Optional.empty();
    }
    List<SSTableReader> candidates = new ArrayList<>();
    for (SSTableReader sstable : snapshot.free().values()) {
      if (sstable.getMaxLocalDeletionTime() < gcBefore) {
        candidates.add(sstable);
      }
    }
    if (candidates.isEmpty()) {
      return Optional.empty();
    }
    Collection<SSTableReader> expired =
        CompactionController.getFullyExpiredSSTables(
            cfs, candidates, cfs.getOverlappingLiveSSTables(candidates), gcBefore);
    return expired.isEmpty()
        ? Optional.empty()
        : claims.drop(expired, SSTableInventory.deepest(expired), gcBefore, EXPIRED);
  }

  /**
   * Returns a task that rewrites the free SSTable with the largest share of droppable data that
   * passes all tests; empty if there is none.
   *
   * @param threshold the share that must be exceeded, 0 or more
   * @param worthIt Cassandra's own test of an SSTable before such a task
   * @param gcBefore tombstones older than this, in seconds since the epoch, may be purged
   */
  Optional<AbstractCompactionTask> purge(
      SSTableInventory.Snapshot snapshot,
      float threshold,
      Predicate<SSTableReader> worthIt,
      long gcBefore) {
    List<Candidate> candidates = new ArrayList<>();
    for (SSTableReader sstable : snapshot.free().values()) {
      double droppable = sstable.getEstimatedDroppableTombstoneRatio(gcBefore);
      if (droppable > threshold) {
        candidates.add(new Candidate(sstable, droppable));
      }
    }
    candidates.sort(Comparator.comparingDouble(Candidate::droppable).reversed());
    for (Candidate candidate : candidates) {
      SSTableReader sstable = candidate.sstable;
      if (claims.roomFor(sstable) && worthIt.test(sstable)) {
        Optional<AbstractCompactionTask> task =
            claims.merge(
                List.of(sstable),
                SSTableInventory.level(sstable),
                MergeTask.Scope.STEP,
                gcBefore,
                PURGES);
        if (task.isPresent()) {
          // Cassandra shows rows to indexes only in compactions of the usual kind.
          if (!PurgeRule.indexesWantRows(cfs)) {
            task.get().setCompactionType(OperationType.TOMBSTONE_COMPACTION);
          }
          return task;
        }
      }
    }
    return Optional.empty();
  }
}
