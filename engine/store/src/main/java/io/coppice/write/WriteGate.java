// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.ClosedException;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.thread.Workers;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * State of the store for writes: open, closing or read-only. Threads of the write path that wait
 * for a flush or for merges wait on {@link #changed} and check again. Safe to share between
 * threads.
 */
final class WriteGate {

  /**
   * Guards everything that threads wait for with {@link #changed}. The leader of the write queue
   * may take it.
   */
  final ReentrantLock lock = new ReentrantLock();

  /** Condition of the lock: signaled when an awaited event may have happened. */
  final Condition changed;

  private final WriteListener listener;
  private volatile boolean closing;

  /** Cause of the read-only state, or null. Set under the monitor of this. */
  private volatile ReadOnlyException failure;

  /** Exception to use if there is no heap to create another. */
  private final ReadOnlyException spare =
      new ReadOnlyException(
          "a write failed for lack of heap", new OutOfMemoryError("Java heap space"));

  WriteGate(Workers workers, WriteListener listener) {
    this.changed = workers.condition(lock);
    this.listener = listener;
  }

  /** Wakes all threads that wait on {@link #changed}, so that they check again. */
  void signal() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes the store read-only, unless it is already. Returns an exception for the caller to throw;
   * {@link #failure} keeps the first one. Succeeds even with a full heap.
   *
   * @param what message of the failure
   */
  ReadOnlyException fail(String what, Throwable cause) {
    ReadOnlyException reason;
    try {
      reason = new ReadOnlyException(what, cause);
    } catch (VirtualMachineError e) {
      reason = spare;
    }
    boolean first;
    synchronized (this) {
      first = failure == null;
      if (first) {
        failure = reason;
      }
    }
    if (first) {
      report(what, cause);
    }
    signalOutlasting();
    return reason;
  }

  private void report(String what, Throwable cause) {
    try {
      listener.failed(what, cause);
    } catch (VirtualMachineError e) {
      // Each refused write reports the failure again.
    }
  }

  /**
   * Signals as {@link #signal} does. Repeats until it succeeds, because a contended lock needs a
   * little heap.
   */
  private void signalOutlasting() {
    while (true) {
      try {
        signal();
        return;
      } catch (OutOfMemoryError e) {
        Thread.yield();
      }
    }
  }

  /** Returns the cause of the read-only state, or null. */
  ReadOnlyException failure() {
    return failure;
  }

  /** Closes the gate, so that {@link #check()} fails. Returns false if it was closed before. */
  boolean close() {
    if (closing) {
      return false;
    }
    closing = true;
    signal();
    return true;
  }

  /** Returns whether the store takes writes: it is not closing and not read-only. */
  boolean isOpen() {
    return failure == null && !closing;
  }

  /**
   * Checks that the gate is open.
   *
   * @throws ClosedException if the store is being closed
   * @throws ReadOnlyException if it is read-only
   */
  void check() {
    if (closing) {
      throw new ClosedException("the store");
    }
    check("an earlier write failed");
  }

  /**
   * Checks that the store is not read-only; it may be closed.
   *
   * @param what what the caller could not do, for the message
   * @throws ReadOnlyException if the store is read-only
   */
  void check(String what) {
    ReadOnlyException reason = failure;
    if (reason != null) {
      throw new ReadOnlyException(what, reason);
    }
  }
}
