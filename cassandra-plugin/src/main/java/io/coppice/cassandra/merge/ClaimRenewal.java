// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.cassandra.sstable.RepairState;
import io.coppice.cassandra.sstable.SteppedMerge;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * New claim over the remaining inputs of a merge whose inputs have changed.
 *
 * <p>The old claim is closed first, so for an instant no input is claimed. An SSTable that
 * disappears in that instant leaves the merge, and so does one that a repair takes, because it then
 * belongs to another strategy instance. A round that loses its last input has ended; the claim then
 * covers the inputs of the next round.
 *
 * @param state the repair state of all inputs of the merge
 */
public record ClaimRenewal(ColumnFamilyStore cfs, SteppedMerge merge, RepairState state) {

  /**
   * Claims all remaining inputs and does not wait. The merge drops inputs that are gone. If its
   * round has none left, the next round begins. The caller must not hold claims on the merge's
   * outputs, because they may be inputs of that round.
   *
   * @return the claim, which the caller closes; empty while another task has claimed an input
   */
  public Optional<LifecycleTransaction> attempt() {
    Set<SSTableReader> wanted = merge.inputs();
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
    // A claimed SSTable does not change, but a repair may have changed it just before the claim.
    for (SSTableReader claimed : List.copyOf(claim.originals())) {
      if (!RepairState.of(claimed).equals(state)) {
        claim.cancel(claimed);
      }
    }
    wanted.removeAll(claim.originals());
    wanted.forEach(merge::drop);
    if (merge.beginsNextRound()) {
      claim.close();
      return attempt();
    }
    return Optional.of(claim);
  }
}
