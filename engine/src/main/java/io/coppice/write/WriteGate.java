// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.ClosedException;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.Workers;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Whether a store takes writes, and the bell of those who wait on the write path, for a flush or
 * for merges: they wait for {@link #changed} and look again. Safe to share between threads.
 */
final class WriteGate {

  /** Guards what is waited for. The leader of the queue may take it. */
  final ReentrantLock lock = new ReentrantLock();

  /** Of the lock: something that is waited for may have happened. */
  final Condition changed;

  private final WriteListener listener;
  private volatile boolean closing;

  /** Set under the monitor of this. */
  private volatile ReadOnlyException failure;

  /** For a failure that has no heap for an exception of its own. */
  private final ReadOnlyException spare =
      new ReadOnlyException(
          "a write failed for lack of heap", new OutOfMemoryError("Java heap space"));

  WriteGate(Workers workers, WriteListener listener) {
    this.changed = workers.condition(lock);
    this.listener = listener;
  }

  /** Lets all who wait look again. */
  void signal() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Turns the store read-only, unless it is. Does so with a full heap too. */
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
      tell(what, cause);
    }
    signalOutlasting();
    return reason;
  }

  private void tell(String what, Throwable cause) {
    try {
      listener.failed(what, cause);
    } catch (VirtualMachineError e) {
      // Each write that is refused tells it again.
    }
  }

  /** A lock that others hold takes a little heap. */
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

  /** Why the store is read-only, or null. */
  ReadOnlyException failure() {
    return failure;
  }

  /** Takes no more writes; false if it did not before. */
  boolean close() {
    if (closing) {
      return false;
    }
    closing = true;
    signal();
    return true;
  }

  /** True while there is no failure and nobody has closed it. */
  boolean isOpen() {
    return failure == null && !closing;
  }

  /**
   * Refuses a write if the gate is not open.
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
   * Refuses to go on if the store is read-only.
   *
   * @param what the message
   */
  void check(String what) {
    ReadOnlyException reason = failure;
    if (reason != null) {
      throw new ReadOnlyException(what, reason);
    }
  }
}
