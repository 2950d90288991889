// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.ClosedException;
import io.coppice.base.Durability;
import io.coppice.entry.EntryBatch;
import io.coppice.entry.EntryBatchReader;
import io.coppice.write.family.ActiveMemtables;
import java.util.ArrayList;
import java.util.List;

/**
 * Write group: batches that are committed together, as one record of the log, and become visible at
 * once. The leader fills, commits and empties the same object again and again. Until the commit
 * begins, its batches stay in the {@link WriteQueue}, so a leader that gives up loses none. Used by
 * the leader of the write queue.
 */
final class WriteGroup {

  /** Size in bytes that closes a group to further batches, to bound the wait of the first. */
  private static final int MAX_BYTES = 1 << 20;

  private final ActiveMemtables active;
  private final WriteQueue queue;
  private final EntryBatchReader reader = new EntryBatchReader();
  private final List<WriteQueue.Waiter> candidates = new ArrayList<>();
  private final List<PendingBatch> batches = new ArrayList<>();

  /** Batches whose commit began but whose condition did not hold. They stay unwritten. */
  private final List<PendingBatch> settled = new ArrayList<>();

  private long bytes;

  /** Whether the commit has begun, so that writers cannot give up. */
  private boolean begun;

  /** Whether batches with values and batches that only delete go to different groups. */
  private boolean separate;

  /** Whether a batch of the group has a condition; {@link #touched} is filled only then. */
  private boolean conditional;

  private final GroupKeys touched = new GroupKeys();
  private final List<EntryBatch> logged = new ArrayList<>();

  /**
   * Creates an empty group.
   *
   * @param active memtables that receive the batches
   * @param queue source of the batches
   */
  WriteGroup(ActiveMemtables active, WriteQueue queue) {
    this.active = active;
    this.queue = queue;
  }

  /**
   * Collects the leader's batch and those that wait behind it, until the group is full. Stops at a
   * waiter that has no batch, because it leads alone.
   *
   * @param own the leader's batch, or null if it is already committed
   */
  void collect(PendingBatch own) {
    if (own != null) {
      candidates.add(own);
    }
    queue.copyTo(candidates);
    for (WriteQueue.Waiter candidate : candidates) {
      if (!(candidate instanceof PendingBatch next)) {
        break;
      }
      synchronized (next) {
        if (next.cancelled()) {
          continue;
        }
        long more = next.batch.bytes().length();
        // A batch that is too large for the memory must not make others fail.
        if (!batches.isEmpty() && bytes + more > MAX_BYTES
            || !fitsDeletions(next)
            || !fitsConditions(next)) {
          break;
        }
        add(next, more, next == own);
      }
    }
    candidates.clear();
  }

  /**
   * Returns whether the batch may join the group, given the conditions in it. A condition is
   * evaluated before the group is written, so no earlier batch of the group may change its key.
   * Batches without a log record are written last, so in a group with a condition either all
   * batches have a record or all lack one.
   */
  private boolean fitsConditions(PendingBatch next) {
    if (batches.isEmpty()) {
      conditional = next.condition != null;
      return true;
    }
    if (next.condition == null && !conditional) {
      return true;
    }
    if (!conditional) {
      conditional = true;
      for (PendingBatch earlier : batches) {
        synchronized (earlier) {
          // After a writer has given up, its bytes may belong to another batch.
          if (!earlier.cancelled()) {
            touched.add(earlier.batch, reader);
          }
        }
      }
    }
    for (PendingBatch earlier : batches) {
      if (earlier.unlogged() != next.unlogged()) {
        return false;
      }
    }
    return next.condition == null || !touched.mayContain(next.condition.key());
  }

  /**
   * Sets whether batches that only delete get groups of their own: a full disk takes nothing else.
   */
  void separateDeletions(boolean now) {
    separate = now;
  }

  private boolean fitsDeletions(PendingBatch next) {
    return !separate || batches.isEmpty() || next.batch.deletesOnly() == deletesOnly();
  }

  /** Returns whether the group has both batches that only delete and others. */
  boolean isMixed() {
    boolean first = !batches.isEmpty() && batches.get(0).batch.deletesOnly();
    for (int i = 1; i < batches.size(); i++) {
      if (batches.get(i).batch.deletesOnly() != first) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether every batch of the group only deletes; true for an empty group. */
  boolean deletesOnly() {
    for (PendingBatch pending : batches) {
      if (!pending.batch.deletesOnly()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Adds a batch, or ends it with an error if one of its families was dropped.
   *
   * @param more encoded bytes of the batch
   * @param leads whether it is the leader's batch
   */
  private void add(PendingBatch next, long more, boolean leads) {
    try {
      active.addDemand(next.batch);
    } catch (ClosedException e) {
      next.begin();
      next.failure = e;
      if (!leads) {
        queue.take(next);
        queue.end(next);
      }
      return;
    }
    batches.add(next);
    if (conditional) {
      touched.add(next.batch, reader);
    }
    bytes += more;
  }

  /** Returns the encoded bytes of the collected batches. */
  long bytes() {
    return bytes;
  }

  /** Returns the number of collected batches. */
  int size() {
    return batches.size();
  }

  /**
   * Begins the commit; from now on no writer can give up. Removes batches of writers that have
   * given up and batches whose condition does not hold.
   */
  void begin() {
    takeBegun();
    if (conditional) {
      for (PendingBatch pending : batches) {
        if (!pending.evaluate()) {
          settled.add(pending);
        }
      }
      batches.removeAll(settled);
    }
  }

  private void takeBegun() {
    // Not removeIf, which needs heap: a group must end without any.
    int kept = 0;
    for (int i = 0; i < batches.size(); i++) {
      PendingBatch pending = batches.get(i);
      if (pending.begin()) {
        batches.set(kept++, pending);
      }
    }
    while (batches.size() > kept) {
      batches.remove(batches.size() - 1);
    }
    for (int i = 0; i < batches.size(); i++) {
      queue.take(batches.get(i));
    }
    begun = true;
  }

  /**
   * Reverts {@link #begin} and empties the group, before anything is written. The batches wait
   * again, at the front of the queue.
   */
  void handBack() {
    putBack(settled);
    putBack(batches);
    clear();
  }

  private void putBack(List<PendingBatch> group) {
    for (int i = group.size() - 1; i >= 0; i--) {
      PendingBatch pending = group.get(i);
      // A writer gives up only after the second call, so it finds its batch in the queue.
      if (pending.begun()) {
        queue.putBack(pending);
      }
      pending.handBack();
    }
  }

  /** Returns the batches with a log record, in order; <em>lent until the next call</em>. */
  List<EntryBatch> logged() {
    logged.clear();
    for (PendingBatch pending : batches) {
      if (!pending.unlogged()) {
        logged.add(pending.batch);
      }
    }
    return logged;
  }

  /** Returns whether some batch of the group needs its log record to be durable. */
  boolean wantsSync() {
    for (PendingBatch pending : batches) {
      if (pending.durability == Durability.SYNC) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether some batch of the group gets no log record. */
  boolean hasUnlogged() {
    for (PendingBatch pending : batches) {
      if (pending.unlogged()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Inserts the batches into the memtables. Batches with a log record come first, since their
   * sequence numbers must be consecutive.
   *
   * @param lastSequence the last sequence number in use
   * @return the last sequence number afterwards
   */
  long insert(long lastSequence) {
    return insert(true, insert(false, lastSequence));
  }

  private long insert(boolean unlogged, long lastSequence) {
    long sequence = lastSequence;
    for (PendingBatch pending : batches) {
      if (pending.unlogged() == unlogged) {
        sequence = active.insert(pending.batch, sequence);
      }
    }
    return sequence;
  }

  /** Returns the encoded bytes of the committed batches. */
  long committedBytes() {
    long committed = 0;
    for (PendingBatch pending : batches) {
      committed += pending.batch.bytes().length();
    }
    return committed;
  }

  /**
   * Records the outcome in the batches and empties the group. Needs no heap.
   *
   * @param problem cause of a failed commit, or null
   * @param own the batch of the leader, or null
   * @return the first of the other batches, linked by {@code nextEnded}, whose writers must be
   *     woken; null if there is none
   */
  PendingBatch end(RuntimeException problem, PendingBatch own) {
    if (!begun) {
      takeBegun();
    }
    PendingBatch ended = null;
    for (int i = batches.size() - 1; i >= 0; i--) {
      batches.get(i).failure = problem;
      ended = chain(batches.get(i), own, ended);
    }
    for (int i = settled.size() - 1; i >= 0; i--) {
      ended = chain(settled.get(i), own, ended);
    }
    clear();
    return ended;
  }

  private static PendingBatch chain(PendingBatch one, PendingBatch own, PendingBatch next) {
    if (one == own) {
      return next;
    }
    one.nextEnded = next;
    return one;
  }

  /** Empties the group for reuse. */
  void clear() {
    candidates.clear();
    batches.clear();
    settled.clear();
    bytes = 0;
    begun = false;
    conditional = false;
    touched.clear();
    active.endGroup();
  }
}
