// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.cassandra.sstable.SteppedMerge;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Pinned outputs of a merge: outputs that its cursors rely on, claimed by its task. No other
 * compaction can rewrite a claimed output, so a step may skip the keys before a cursor. If such a
 * claim fails, the merge forgets the cursor. Used by one task.
 */
final class PinnedOutputs {

  private final ColumnFamilyStore cfs;
  private final SteppedMerge merge;
  private final Map<SSTableReader, LifecycleTransaction> claims = new HashMap<>();

  PinnedOutputs(ColumnFamilyStore cfs, SteppedMerge merge) {
    this.cfs = cfs;
    this.merge = merge;
  }

  /**
   * Claims as many as possible of the outputs on which the cursors of the inputs rely. Does not
   * wait.
   *
   * @return false while another task has claimed one of them
   */
  boolean attempt(Set<SSTableReader> inputs) {
    Map<SSTableReader, SSTableReader> live = live();
    boolean all = true;
    for (SSTableReader input : inputs) {
      List<SSTableReader> needed = merge.pinnedOutputs(input);
      // A cursor with a missing output is lost, so it does not wait for its other outputs.
      if (live.keySet().containsAll(needed)) {
        for (SSTableReader output : needed) {
          all &= claim(output, live);
        }
      }
    }
    return all;
  }

  /**
   * Claims the outputs on which the cursors of the inputs rely and releases all others, at once.
   * The merge forgets the cursor of an input if one of its outputs cannot be claimed.
   */
  void claim(Set<SSTableReader> inputs) {
    Map<SSTableReader, SSTableReader> live = live();
    Set<SSTableReader> wanted = new HashSet<>();
    for (SSTableReader input : inputs) {
      List<SSTableReader> needed = merge.pinnedOutputs(input);
      if (needed.stream().allMatch(output -> claim(output, live))) {
        wanted.addAll(needed);
      } else {
        merge.forget(input);
      }
    }
    for (SSTableReader held : Set.copyOf(claims.keySet())) {
      if (!wanted.contains(held)) {
        claims.remove(held).close();
      }
    }
  }

  private Map<SSTableReader, SSTableReader> live() {
    Map<SSTableReader, SSTableReader> live = new HashMap<>();
    cfs.getLiveSSTables().forEach(sstable -> live.put(sstable, sstable));
    return live;
  }

  private boolean claim(SSTableReader output, Map<SSTableReader, SSTableReader> live) {
    if (claims.containsKey(output)) {
      return true;
    }
    SSTableReader reader = live.get(output);
    if (reader == null) {
      return false;
    }
    LifecycleTransaction claim =
        cfs.getTracker().tryModify(List.of(reader), OperationType.COMPACTION);
    if (claim == null) {
      return false;
    }
    claims.put(output, claim);
    return true;
  }

  Set<SSTableReader> claimed() {
    return Set.copyOf(claims.keySet());
  }

  void release() {
    claims.values().forEach(LifecycleTransaction::close);
    claims.clear();
  }
}
