// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.ClosedException;
import io.coppice.base.Durability;
import io.coppice.entry.EntryBatch;
import io.coppice.entry.EntryBatchReader;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;

/**
 * The batches that are committed together: they are one record of the log, and become visible all
 * at once. Filled, committed and emptied again and again; of a group whose leader gives up nothing
 * is lost, as it stays for the next. Guarded by the write lock.
 */
final class WriteGroup {

  /** A group takes no further batch once it has so many bytes, to bound the wait of the first. */
  private static final int MAX_BYTES = 1 << 20;

  private final ActiveMemtables active;
  private final EntryBatchReader reader = new EntryBatchReader();
  private final List<PendingBatch> batches = new ArrayList<>();
  private long bytes;

  /** True if a batch of the group has a condition; {@link #touched} is kept only then. */
  private boolean conditional;

  private final GroupKeys touched = new GroupKeys();
  private final List<EntryBatch> logged = new ArrayList<>();

  /**
   * An empty group.
   *
   * @param active where its batches go
   */
  WriteGroup(ActiveMemtables active) {
    this.active = active;
  }

  /** Adds what is queued, as far as it fits. */
  void gather(Queue<PendingBatch> queue) {
    for (PendingBatch next = queue.peek(); next != null; next = queue.peek()) {
      synchronized (next) {
        long more = next.cancelled() ? 0 : next.batch.bytes().length();
        // A batch that is too large for the memory must not take others down with it.
        if (!batches.isEmpty() && bytes + more > MAX_BYTES) {
          return;
        }
        if (!next.cancelled() && !fitsConditions(next)) {
          return;
        }
        queue.remove();
        if (!next.cancelled()) {
          add(next, more);
        }
      }
    }
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

  /** Adds a batch, or refuses it. */
  private void add(PendingBatch next, long more) {
    try {
      active.want(next.batch);
      batches.add(next);
      if (conditional) {
        touched.add(next.batch, reader);
      }
      bytes += more;
    } catch (ClosedException e) {
      next.end(e);
    }
  }

  /** Bytes of the batches gathered. */
  long bytes() {
    return bytes;
  }

  /**
   * Begins the commit, after which no writer gives up. Batches of those that have, and those whose
   * condition does not hold, leave the group.
   */
  void begin() {
    batches.removeIf(pending -> !pending.begin() || !pending.passes());
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
   * Tells all batches how the commit ended, and empties the group.
   *
   * @param problem why it failed, or null
   */
  void end(RuntimeException problem) {
    batches.forEach(pending -> pending.end(problem));
    batches.clear();
    bytes = 0;
    conditional = false;
    touched.clear();
    active.clearWanted();
  }

  /** Of a group that a leader left behind those batches fail that name a dropped family. */
  void refuseDropped() {
    for (Iterator<PendingBatch> left = batches.iterator(); left.hasNext(); ) {
      PendingBatch pending = left.next();
      synchronized (pending) {
        if (pending.cancelled() || !active.has(pending.batch)) {
          pending.end(new ClosedException("a family of the batch, which was dropped,"));
          left.remove();
        }
      }
    }
  }
}
