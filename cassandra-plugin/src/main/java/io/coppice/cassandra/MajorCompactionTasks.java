// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.cassandra.merge.MergeTask;
import io.coppice.cassandra.merge.OngoingMerges;
import io.coppice.cassandra.sstable.Placement;
import io.coppice.cassandra.sstable.SSTableInventory;
import io.coppice.cassandra.sstable.SSTableOutline;
import io.coppice.policy.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Major compaction: rewrites all SSTables of a strategy instance into one run, as Cassandra's own
 * strategies do. SSTables that cannot be claimed are left out.
 *
 * <p>SSTables without overlap are rewritten too. A rule for leaving SSTables out would have to name
 * every reason for a rewrite: dropped columns, expired cells, settings of the table, file formats.
 * If the rule missed one, data that the operator wants removed would stay on disk unnoticed.
 *
 * <p>Each overlap cluster is a part. Adjacent SSTables without overlap, between two such parts,
 * form a part too. The last of {@value #MAX_PARTS} parts takes all that is left. Parts have
 * disjoint key ranges, so their tasks may run in any order. Called under the monitor of its
 * strategy.
 */
final class MajorCompactionTasks {

  // Most parts. The last takes all that is left; its steps end where overlap clusters end.
  private static final int MAX_PARTS = 32;

  private static final int MIN_LEVEL = 1;

  private final TaskFactory claims;
  private final OngoingMerges merges;

  MajorCompactionTasks(TaskFactory claims, OngoingMerges merges) {
    this.claims = claims;
    this.merges = merges;
  }

  /**
   * Adds the tasks of a major compaction, which have claimed all inputs, and announces them. A part
   * whose claim fails gets no task.
   *
   * @param snapshots returns a new snapshot; called once all ongoing merges are given up
   * @param gcBefore tombstones older than this, in seconds since the epoch, may be purged
   * @param tasks an empty list that receives the tasks, also those created before an exception; the
   *     caller closes their claims then
   */
  void addTasks(
      Supplier<SSTableInventory.Snapshot> snapshots,
      long gcBefore,
      List<AbstractCompactionTask> tasks) {
    // No SSTable is claimed now, and the major compaction takes over the merges between two steps.
    merges.giveUpAll();
    Map<Long, SSTableReader> free = snapshots.get().free();
    int level = Math.max(MIN_LEVEL, SSTableInventory.deepest(free.values()));
    Reason reason =
        Reason.ofNumbers("major", "major compaction of {sstables} SSTables", free.size());
    List<SSTableOutline<DecoratedKey>> outlines = new ArrayList<>();
    free.forEach((id, sstable) -> outlines.add(SSTableInventory.outline(id, sstable)));
    for (List<SSTableOutline<DecoratedKey>> part : parts(outlines, MAX_PARTS)) {
      List<SSTableReader> sstables = part.stream().map(one -> free.get(one.id())).toList();
      claims.merge(sstables, level, MergeTask.Scope.MAJOR, gcBefore, reason).ifPresent(tasks::add);
    }
    for (AbstractCompactionTask task : tasks) {
      ((MergeTask) task).announce();
    }
  }

  /**
   * Divides SSTables at keys that no SSTable spans.
   *
   * @param most at least 1
   * @return at most {@code most} parts, by ascending key
   */
  static <K extends Comparable<? super K>> List<List<SSTableOutline<K>>> parts(
      List<SSTableOutline<K>> outlines, int most) {
    List<List<SSTableOutline<K>>> parts = new ArrayList<>();
    boolean apart = false;
    for (List<SSTableOutline<K>> cluster : Placement.clusters(outlines)) {
      boolean lone = cluster.size() == 1;
      if (parts.isEmpty() || parts.size() < most && !(lone && apart)) {
        parts.add(new ArrayList<>());
      }
      parts.get(parts.size() - 1).addAll(cluster);
      apart = lone;
    }
    return parts;
  }
}
