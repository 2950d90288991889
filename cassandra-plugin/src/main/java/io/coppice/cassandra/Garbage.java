// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

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
import org.apache.cassandra.index.Index;
import org.apache.cassandra.index.sai.StorageAttachedIndex;
import org.apache.cassandra.index.sasi.SASIIndex;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * What can be let go of without any wish of a policy: SSTables of which every cell has expired, and
 * single SSTables with many deletions that are old enough. By Cassandra's own rules; a policy sees
 * no times. Used under its strategy's monitor.
 */
final class Garbage {

  private static final Reason EXPIRED = Reason.of("expired", "all that they hold has expired");
  private static final Reason PURGES = Reason.of("tombstones", "there is something to purge");

  private record Candidate(SSTableReader sstable, double droppable) {}

  private final ColumnFamilyStore cfs;
  private final Claims claims;

  Garbage(ColumnFamilyStore cfs, Claims claims) {
    this.cfs = cfs;
    this.claims = claims;
  }

  /**
   * A task that drops SSTables unread, as nothing in them lives and they hide nothing. None where
   * an index wants to see their rows go: they would have to be rewritten, and if something keeps
   * them from going again and again; they go by merges, and by {@link #purge} in its own time.
   */
  Optional<AbstractCompactionTask> expired(Inventory.Snapshot snapshot, long gcBefore) {
    if (indexesWantRows(cfs)) {
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
        : claims.drop(expired, Inventory.deepest(expired), gcBefore, EXPIRED);
  }

  /**
   * A task that rewrites the SSTable with the largest share of dead cells.
   *
   * @param worthIt what Cassandra asks of an SSTable before that
   */
  Optional<AbstractCompactionTask> purge(
      Inventory.Snapshot snapshot,
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
                List.of(sstable), Inventory.level(sstable), MergeTask.Reach.STEP, gcBefore, PURGES);
        if (task.isPresent()) {
          // Cassandra shows rows to indexes in compactions of no other kind than the usual ones.
          if (!indexesWantRows(cfs)) {
            task.get().setCompactionType(OperationType.TOMBSTONE_COMPACTION);
          }
          return task;
        }
      }
    }
    return Optional.empty();
  }

  /**
   * True if an index keeps entries outside the SSTables, so that it must see each row go. Cassandra
   * 5.0 asks the index itself from some patch on; those that live in SSTables answer no, all others
   * do not override the answer yes.
   */
  static boolean indexesWantRows(ColumnFamilyStore cfs) {
    for (Index index : cfs.indexManager.listIndexes()) {
      if (!(index instanceof StorageAttachedIndex) && !(index instanceof SASIIndex)) {
        return true;
      }
    }
    return false;
  }
}
