// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.thread.StackRoom;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Queue of the threads that wait to write, in order of arrival. One of them leads: it alone may
 * append to the log and the memtables. Safe to share between threads.
 *
 * <pre>
 *  leader   oldest ... newest         a writer arrives at the end
 *  [ W1 ]   [ W2 ]  [ W3 ]  [ W4 ] &lt;-- [ W5 ]
 *     commits W1, W2, W3 as one write group, then passes the lead to W4
 * </pre>
 *
 * <p>The leader commits the batches of those that wait behind it together with its own. It wakes
 * each of them through a state of its own, so none needs a lock to learn the outcome. The lead
 * passes to the oldest waiter, never to a thread that arrives later.
 *
 * <p>A leader that has to sync may first wait for writers that were just released ({@link
 * #awaitWaiting}). One group that holds all of them needs one sync; two alternating groups need
 * two.
 */
final class WriteQueue {

  /**
   * Number of times a thread polls its own state before it parks. A commit without a sync is faster
   * than the parking.
   */
  private static final int SPINS = 200;

  /** Thread that waits for the lead, or for a leader that commits its batch. */
  static class Waiter {
    private static final int WAITS = 0;
    private static final int LEADS = 1;
    private static final int DONE = 2;

    private final Thread thread = Thread.currentThread();
    private volatile int state;

    // Guarded by the queue, which the checker cannot name here. The links let a waiter leave
    // without a search.
    private boolean queued;
    private Waiter before;
    private Waiter after;

    /** Creates a waiter for the current thread. */
    Waiter() {}
  }

  private final int spins;

  // A linked list without node objects, so that a full heap cannot break it. The leader is not in
  // it.
  @GuardedBy("this")
  private Waiter oldest;

  @GuardedBy("this")
  private Waiter newest;

  /**
   * Number of waiters behind the leader. Written under the lock. The leader reads it without the
   * lock, which saves a lone writer three of five lock operations per write.
   */
  private volatile int size;

  /** Waiter that leads, or null. Written under the lock; the leading thread reads it without. */
  private Waiter leader;

  /** Number of waiters that ends {@link #awaitWaiting}; written by the leader. */
  private volatile int enough = Integer.MAX_VALUE;

  /**
   * Whether the leader is syncing. Waiters then park at once, because a sync outlasts any polling.
   */
  private volatile boolean syncing;

  /** Creates an empty queue. */
  WriteQueue() {
    this(Runtime.getRuntime().availableProcessors() > 1 ? SPINS : 0);
  }

  /** Creates an empty queue whose waiters poll this number of times before they park. */
  WriteQueue(int spins) {
    this.spins = spins;
  }

  /**
   * Adds a waiter to the queue. A thread with too little stack must not join: it would fail to
   * leave or to pass the lead on, and every later writer would wait for it.
   *
   * @return whether the waiter leads at once
   * @throws StackOverflowError if the thread has too little stack for a commit; it has not joined
   */
  boolean join(Waiter own) {
    StackRoom.require();
    Waiter patient;
    synchronized (this) {
      if (leader == null) {
        leader = own;
        own.state = Waiter.LEADS;
        return true;
      }
      assert leader.thread != own.thread : "the thread leads already";
      insert(own, newest, null);
      patient = size == enough ? leader : null;
    }
    if (patient != null) {
      LockSupport.unpark(patient.thread);
    }
    return false;
  }

  /**
   * Waits until the waiter leads or a leader has ended its wait.
   *
   * @return whether it leads; false if a leader has ended its wait
   * @throws InterruptedException if the thread is interrupted before; the waiter is still queued
   */
  boolean await(Waiter own) throws InterruptedException {
    int left = spins;
    while (own.state == Waiter.WAITS) {
      if (left > 0 && !syncing) {
        left--;
        Thread.onSpinWait();
      } else {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        LockSupport.park(this);
      }
    }
    return own.state == Waiter.LEADS;
  }

  /**
   * Waits and returns as {@link #await} does, but ignores an interrupt until the end and then
   * restores it.
   */
  boolean awaitUninterruptibly(Waiter own) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return await(own);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Removes a waiter that gives up. If it already leads, the lead passes on.
   *
   * @return whether it was still queued or led; false if a leader has taken it out of the queue or
   *     ended its wait
   */
  boolean leave(Waiter own) {
    Waiter next;
    synchronized (this) {
      if (leader != own) {
        boolean found = own.queued;
        remove(own);
        return found;
      }
      next = nextLeader();
    }
    wake(next);
    return true;
  }

  /**
   * Passes the lead to the oldest waiter. Without a waiter the next thread that joins leads. Called
   * by the leading thread.
   */
  void pass() {
    Waiter next;
    synchronized (this) {
      if (syncing) {
        syncing = false;
      }
      next = nextLeader();
    }
    wake(next);
  }

  @GuardedBy("this")
  private Waiter nextLeader() {
    leader = oldest;
    if (leader != null) {
      remove(leader);
      leader.state = Waiter.LEADS;
    }
    return leader;
  }

  private static void wake(Waiter waiter) {
    if (waiter != null) {
      LockSupport.unpark(waiter.thread);
    }
  }

  /** Appends the waiters, oldest first, to a list. Called by the leader. */
  void copyTo(List<Waiter> target) {
    if (size == 0) {
      return;
    }
    synchronized (this) {
      for (Waiter one = oldest; one != null; one = one.after) {
        target.add(one);
      }
    }
  }

  /**
   * Returns the number of waiters behind the leader, which other threads may change at any time.
   */
  int size() {
    return size;
  }

  /**
   * Removes a waiter whose batch the leader commits. Its thread waits until {@link #end}. Ignores
   * the leader itself, which is not queued.
   */
  void take(Waiter one) {
    if (one != leader) {
      synchronized (this) {
        remove(one);
      }
    }
  }

  /** Returns whether the oldest waiter behind the leader has this type; false without a waiter. */
  boolean isFirst(Class<? extends Waiter> type) {
    if (size == 0) {
      return false;
    }
    synchronized (this) {
      return type.isInstance(oldest);
    }
  }

  /**
   * Removes the oldest waiters as long as they have this type, and adds them to a list, oldest
   * first. Their threads wait until {@link #end}.
   */
  synchronized <T extends Waiter> void takeAll(Class<T> type, List<T> target) {
    while (type.isInstance(oldest)) {
      // In this order: with a full heap the waiter stays in the queue.
      target.add(type.cast(oldest));
      remove(oldest);
    }
  }

  /** Puts a waiter that {@link #take} removed back at the head of the queue. Ignores the leader. */
  synchronized void putBack(Waiter taken) {
    if (taken != leader && !taken.queued) {
      insert(taken, null, oldest);
    }
  }

  @GuardedBy("this")
  private void insert(Waiter one, Waiter before, Waiter after) {
    one.queued = true;
    one.before = before;
    one.after = after;
    if (before == null) {
      oldest = one;
    } else {
      before.after = one;
    }
    if (after == null) {
      newest = one;
    } else {
      after.before = one;
    }
    size++;
  }

  @GuardedBy("this")
  private void remove(Waiter one) {
    if (!one.queued) {
      return;
    }
    if (one.before == null) {
      oldest = one.after;
    } else {
      one.before.after = one.after;
    }
    if (one.after == null) {
      newest = one.before;
    } else {
      one.after.before = one.before;
    }
    one.queued = false;
    one.before = null;
    one.after = null;
    size--;
  }

  /**
   * Ends the wait of a waiter that {@link #take} or {@link #takeAll} removed. The caller has
   * written its outcome before.
   */
  void end(Waiter taken) {
    taken.state = Waiter.DONE;
    LockSupport.unpark(taken.thread);
  }

  /** Sets whether the leader syncs. Called by the leader. */
  void syncing(boolean now) {
    syncing = now;
  }

  /**
   * Waits until a number of waiters is behind the leader, or the time is over. An interrupt does
   * not end the wait and is restored afterwards. Called by the leader.
   *
   * @param count number of waiters that is enough
   * @param nanos the longest wait in nanoseconds
   */
  void awaitWaiting(int count, long nanos) {
    long end = System.nanoTime() + nanos;
    enough = count;
    boolean interrupted = false;
    for (long left = nanos; left > 0 && size() < count; left = end - System.nanoTime()) {
      LockSupport.parkNanos(this, left);
      interrupted |= Thread.interrupted();
    }
    enough = Integer.MAX_VALUE;
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
