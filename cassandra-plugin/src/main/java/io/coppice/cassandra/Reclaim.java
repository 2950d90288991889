// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Claims again what is left of a merge whose inputs have changed. For an instant nothing has them,
 * and whatever has happened to one then counts: one that is gone leaves the merge, and so does one
 * that a repair has taken meanwhile, as it belongs to another strategy instance now. A round that
 * loses its last input has ended, so the claim is over the inputs of the next one.
 *
 * @param state of all inputs of the merge
 */
record Reclaim(ColumnFamilyStore cfs, Chain chain, RepairState state) {

  /**
   * Empty while something else has one of them. The caller holds none of the merge's outputs, which
   * may be inputs of the next round.
   */
  Optional<LifecycleTransaction> attempt() {
    Set<SSTableReader> wanted = chain.inputs();
    List<SSTableReader> left = new ArrayList<>();
    for (SSTableReader sstable : cfs.getLiveSSTables()) {
      if (wanted.contains(sstable) && RepairState.of(sstable).equals(state)) {
        left.add(sstable);
      }
    }
    LifecycleTransaction claim = cfs.getTracker().tryModify(left, OperationType.COMPACTION);
    if (claim == null) {
      return Optional.empty();
    }
    // Nothing changes what is claimed; before that a repair may have come in between.
    for (SSTableReader claimed : List.copyOf(claim.originals())) {
      if (!RepairState.of(claimed).equals(state)) {
        claim.cancel(claimed);
      }
    }
    wanted.removeAll(claim.originals());
    wanted.forEach(chain::leave);
    if (chain.beginsNextRound()) {
      claim.close();
      return attempt();
    }
    return Optional.of(claim);
  }
}
