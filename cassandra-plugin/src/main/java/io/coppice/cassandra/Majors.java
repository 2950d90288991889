// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Everything into one run: one task for each of the first clusters of SSTables that overlap and one
 * for all others, a move of what lies alone, and a rewrite of what lies alone and has something to
 * purge. The tasks touch different key ranges, so they may run in any order or at once. Used under
 * its strategy's monitor.
 */
final class Majors {

  // Each plan looks at the whole table. What is left goes into one merge, whose steps end where
  // clusters do.
  private static final int MOST_PLANS = 32;

  private static final Reason REST = Reason.of("major-rest", "major compaction of what is left");

  private final Planner planner;
  private final Claims claims;
  private final Chains chains;

  Majors(Planner planner, Claims claims, Chains chains) {
    this.planner = planner;
    this.claims = claims;
    this.chains = chains;
  }

  /**
   * Adds the tasks of a major compaction, all claimed.
   *
   * @param snapshots looks at the table anew, so that what was claimed shows
   */
  void addTasks(
      Supplier<Inventory.Snapshot> snapshots, long gcBefore, List<AbstractCompactionTask> tasks) {
    // Nothing has a claim now, and all that rests is taken up.
    chains.giveUpAll();
    Inventory.Snapshot snapshot = snapshots.get();
    int deepest = Math.max(1, snapshot.shape().levels().size() - 1);
    for (int plans = 0; plans < MOST_PLANS; plans++) {
      Optional<Plan> plan = planner.everything(snapshot);
      if (plan.isEmpty()) {
        break;
      }
      if (plan.get() instanceof Plan.Move move) {
        addMoves(snapshot, move, gcBefore, tasks);
      } else {
        claims.start(snapshot, plan.get(), MergeTask.Reach.MAJOR, gcBefore).ifPresent(tasks::add);
      }
      snapshot = snapshots.get();
    }
    Map<Long, SSTableReader> rest = new LinkedHashMap<>(snapshot.free());
    for (Outline<DecoratedKey> alone : Placement.lone(snapshot.outlines())) {
      SSTableReader sstable = rest.remove(alone.id());
      if (sstable != null && Garbage.purges(sstable, gcBefore)) {
        claims
            .merge(List.of(sstable), deepest, MergeTask.Reach.MAJOR, gcBefore, Garbage.PURGES)
            .ifPresent(tasks::add);
      }
    }
    if (planner.everything(snapshot).isPresent() && !rest.isEmpty()) {
      claims
          .merge(rest.values(), deepest, MergeTask.Reach.MAJOR, gcBefore, REST)
          .ifPresent(tasks::add);
    }
    // Moves are short, and nobody else carries them out: they need not wait for merges.
    tasks.sort(Comparator.comparing(task -> task instanceof MergeTask));
    for (AbstractCompactionTask task : tasks) {
      if (task instanceof MergeTask part) {
        part.announce();
      }
    }
  }

  private void addMoves(
      Inventory.Snapshot snapshot,
      Plan.Move move,
      long gcBefore,
      List<AbstractCompactionTask> tasks) {
    List<Long> rest = new ArrayList<>();
    for (long slice : move.slices()) {
      SSTableReader sstable = snapshot.free().get(slice);
      if (Garbage.purges(sstable, gcBefore)) {
        claims
            .merge(
                List.of(sstable),
                move.target().level(),
                MergeTask.Reach.MAJOR,
                gcBefore,
                Garbage.PURGES)
            .ifPresent(tasks::add);
      } else {
        rest.add(slice);
      }
    }
    if (!rest.isEmpty()) {
      claims.move(snapshot, rest, move.target().level(), move.reason()).ifPresent(tasks::add);
    }
  }
}
