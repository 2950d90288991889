// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.ClosedException;
import io.coppice.base.Durability;
import io.coppice.entry.EntryBatch;
import io.coppice.entry.EntryBatchReader;
import java.util.ArrayList;
import java.util.List;

/**
 * The batches that are committed together: they are one record of the log, and become visible all
 * at once. Filled, committed and emptied again and again. Until the commit begins they stay in the
 * {@link WriteQueue}, so a leader that gives up loses nothing. Used by the thread that leads.
 */
final class WriteGroup {

  /** A group takes no further batch once it has so many bytes, to bound the wait of the first. */
  private static final int MAX_BYTES = 1 << 20;

  private final ActiveMemtables active;
  private final WriteQueue queue;
  private final EntryBatchReader reader = new EntryBatchReader();
  private final List<WriteQueue.Waiter> candidates = new ArrayList<>();
  private final List<PendingBatch> batches = new ArrayList<>();

  /** Batches whose commit began although they are not written: their condition does not hold. */
  private final List<PendingBatch> settled = new ArrayList<>();

  private long bytes;

  /** True once writers no longer give up. */
  private boolean begun;

  /** True while no batch with values joins batches that only delete. */
  private boolean separate;

  /** True if a batch of the group has a condition; {@link #touched} is kept only then. */
  private boolean conditional;

  private final GroupKeys touched = new GroupKeys();
  private final List<EntryBatch> logged = new ArrayList<>();

  /**
   * Creates an empty group.
   *
   * @param active where its batches go
   * @param queue where they come from
   */
  WriteGroup(ActiveMemtables active, WriteQueue queue) {
    this.active = active;
    this.queue = queue;
  }

  /**
   * Adds the batch of the leader and those that wait behind it, as far as they fit. A waiter
   * without a batch takes its turn alone.
   *
   * @param own the leader's batch, or null if it is done
   */
  void gather(PendingBatch own) {
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
        // A batch that is too large for the memory must not take others down with it.
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
   * True if the batch may join the group although one of them has a condition. A condition is asked
   * before the group is written, so no batch before it may touch its key; and batches without a log
   * record are written last, so in such a group all or none have one.
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
          // Of a writer that has given up meanwhile, the bytes may be of another batch by now.
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

  /** Keeps deletions apart from other batches, or no longer: a full disk takes only deletions. */
  void separateDeletions(boolean now) {
    separate = now;
  }

  private boolean fitsDeletions(PendingBatch next) {
    return !separate || batches.isEmpty() || next.batch.deletesOnly() == deletesOnly();
  }

  /** Returns true if the group holds both batches that only delete and others. */
  boolean isMixed() {
    boolean first = !batches.isEmpty() && batches.get(0).batch.deletesOnly();
    for (int i = 1; i < batches.size(); i++) {
      if (batches.get(i).batch.deletesOnly() != first) {
        return true;
      }
    }
    return false;
  }

  /** Returns true if no batch of the group holds a value. */
  boolean deletesOnly() {
    for (PendingBatch pending : batches) {
      if (!pending.batch.deletesOnly()) {
        return false;
      }
    }
    return true;
  }

  /** Adds a batch, or refuses it. */
  private void add(PendingBatch next, long more, boolean leads) {
    try {
      active.want(next.batch);
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

  /** Bytes of the batches gathered. */
  long bytes() {
    return bytes;
  }

  /** Number of batches gathered. */
  int size() {
    return batches.size();
  }

  /**
   * Begins the commit, after which no writer gives up. Batches of those that have, and those whose
   * condition does not hold, leave the group.
   */
  void begin() {
    takeBegun();
    if (conditional) {
      for (PendingBatch pending : batches) {
        if (!pending.passes()) {
          settled.add(pending);
        }
      }
      batches.removeAll(settled);
    }
  }

  private void takeBegun() {
    // Without removeIf: it needs heap, and a group must end without any.
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

  /** Takes {@link #begin} back: the batches wait again, at the front. Nothing was written. */
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

  /** Those batches that get a log record, in their order; <em>lent until the next call</em>. */
  List<EntryBatch> logged() {
    logged.clear();
    for (PendingBatch pending : batches) {
      if (!pending.unlogged()) {
        logged.add(pending.batch);
      }
    }
    return logged;
  }

  /** True if a batch asks for its log record to be durable. */
  boolean wantsSync() {
    for (PendingBatch pending : batches) {
      if (pending.durability == Durability.SYNC) {
        return true;
      }
    }
    return false;
  }

  /** True if a batch gets no log record. */
  boolean hasUnlogged() {
    for (PendingBatch pending : batches) {
      if (pending.unlogged()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Adds the batches to the memtables; those with a log record come first, as their sequence
   * numbers follow one another.
   *
   * @return the last sequence number
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

  /** Bytes of the batches committed. */
  long committedBytes() {
    long committed = 0;
    for (PendingBatch pending : batches) {
      committed += pending.batch.bytes().length();
    }
    return committed;
  }

  /**
   * Notes how the commit ended and empties the group. Needs no heap.
   *
   * @param problem why it failed, or null
   * @param own the batch of the leader, or null
   * @return the first of the other batches, whose writers are still to be woken; null if there is
   *     none
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

  /** Empties the group. */
  void clear() {
    candidates.clear();
    batches.clear();
    settled.clear();
    bytes = 0;
    begun = false;
    conditional = false;
    touched.clear();
    active.clearWanted();
  }
}
