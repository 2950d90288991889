// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.Durability;
import io.coppice.entry.EntryBatch;

/**
 * A batch on its way, from its writer to the leader of its group. Its bytes are read under its
 * monitor until its commit has begun. The leader writes the outcome before it ends the wait of the
 * writer.
 */
final class PendingBatch extends WriteQueue.Waiter {

  final EntryBatch batch;
  final Durability durability;

  /** Null if there is none. */
  final Precondition condition;

  /** True if the condition did not hold. */
  boolean refused;

  /** Why it failed, or null. */
  RuntimeException failure;

  /** Error that its own condition threw, or null. */
  Error error;

  /** The next one of those that a leader is to wake. Used by the leader. */
  PendingBatch nextEnded;

  /** Guarded by this. */
  private boolean begun;

  /** Guarded by this. */
  private boolean cancelled;

  PendingBatch(EntryBatch batch, Durability durability, Precondition condition) {
    this.batch = batch;
    this.durability = durability;
    this.condition = condition;
  }

  /** True if it gets no log record. */
  boolean unlogged() {
    return durability == Durability.NONE;
  }

  /**
   * Returns false if the batch is not to be committed: its condition does not hold, or failed. A
   * condition that fails harms its own batch alone. Only a lack of heap or stack, which the leader
   * has, is thrown.
   */
  boolean passes() {
    if (condition == null) {
      return true;
    }
    try {
      refused = !condition.holds().getAsBoolean();
    } catch (OutOfMemoryError | StackOverflowError e) {
      throw e;
    } catch (RuntimeException e) {
      failure = e;
    } catch (Error e) {
      error = e;
    }
    return !refused && failure == null && error == null;
  }

  /** Begins the commit; false if the writer has given up. */
  synchronized boolean begin() {
    begun = !cancelled;
    return begun;
  }

  /** True if the commit has begun. */
  synchronized boolean begun() {
    return begun;
  }

  /** Takes {@link #begin} back: nothing of the batch was written. */
  synchronized void handBack() {
    begun = false;
    refused = false;
    failure = null;
    error = null;
  }

  /** Gives up; false if the commit has begun. After true no thread reads the batch. */
  synchronized boolean cancel() {
    cancelled = !begun;
    return cancelled;
  }

  /** True if the writer has given up. The monitor is held, for as long as the answer matters. */
  boolean cancelled() {
    assert Thread.holdsLock(this);
    return cancelled;
  }
}
