// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.Durability;
import io.coppice.entry.EntryBatch;

/**
 * Batch that waits for its commit, shared by its writer and the leader of the write queue. Its
 * bytes are read under its monitor until its commit begins. The leader writes the outcome before it
 * ends the writer's wait.
 */
final class PendingBatch extends WriteQueue.Waiter {

  final EntryBatch batch;
  final Durability durability;

  /** Condition for the commit, or null for an unconditional batch. */
  final Precondition condition;

  /** Whether the condition did not hold. */
  boolean refused;

  /** Cause of a failed commit, or null. */
  RuntimeException failure;

  /** Error thrown by the condition, or null. */
  Error error;

  /** Next batch whose writer the leader wakes, or null. Used by the leader. */
  PendingBatch nextEnded;

  /** Whether the commit has begun. */
  @GuardedBy("this")
  private boolean begun;

  /** Whether the writer has given up. */
  @GuardedBy("this")
  private boolean cancelled;

  PendingBatch(EntryBatch batch, Durability durability, Precondition condition) {
    this.batch = batch;
    this.durability = durability;
    this.condition = condition;
  }

  /** Returns whether the batch goes to the memtable without a log record. */
  boolean unlogged() {
    return durability == Durability.NONE;
  }

  /**
   * Evaluates the condition and records the outcome. Returns whether the batch is to be committed;
   * without a condition, true. An exception of the condition fails this batch alone. A lack of heap
   * or stack is thrown instead, because it concerns the leader.
   */
  boolean evaluate() {
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

  /**
   * Begins the commit; from now on the writer cannot give up. Returns false if the writer has given
   * up before.
   */
  synchronized boolean begin() {
    begun = !cancelled;
    return begun;
  }

  /** Returns whether the commit has begun. */
  synchronized boolean begun() {
    return begun;
  }

  /**
   * Reverts {@link #begin}, so that the writer may give up again. No byte of the batch has been
   * written.
   */
  synchronized void handBack() {
    begun = false;
    refused = false;
    failure = null;
    error = null;
  }

  /**
   * Gives the batch up. Called by its writer. Returns false if the commit has begun; after true no
   * other thread reads the batch.
   */
  synchronized boolean cancel() {
    cancelled = !begun;
    return cancelled;
  }

  /**
   * Returns whether the writer has given up. The answer holds for as long as the caller keeps the
   * monitor.
   */
  @GuardedBy("this")
  boolean cancelled() {
    return cancelled;
  }
}
