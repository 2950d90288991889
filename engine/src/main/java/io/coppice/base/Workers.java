// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What does a store's work in the background, how its threads wait for one another, and its clock:
 * one seam, so that a test can let a seed decide who goes next. {@link WorkerThreads} gives every
 * task a thread. A test may instead run all tasks on its own thread, step by step; whoever waits on
 * a {@link #condition} then does the steps of others meanwhile. Safe to share between threads.
 *
 * <p>Who waits holds no lock but the condition's own and those that no task takes.
 */
public interface Workers {

  /** The rest of a task that has nothing to do until it is woken. */
  long UNTIL_WOKEN = Long.MAX_VALUE;

  /** Work in the background, cut into steps; one thread at a time does them. */
  interface Task {
    /**
     * Does some of the work and returns. One thread at a time calls. A step that throws is called
     * again after a pause; it leaves a state in which that is right.
     *
     * @return nanoseconds after which it is to be called again, unless it is woken before: 0 if
     *     there is more to do now, {@link #UNTIL_WOKEN} if there is nothing
     */
    long step();
  }

  /** A task that was started. Safe to share between threads. */
  interface Worker extends AutoCloseable {
    /** Ends a rest. A wake that comes during a step makes another step follow. */
    void wake();

    /** Returns after the step under way; none begins any more. Idempotent. */
    @Override
    void close();
  }

  /**
   * Starts a task, which is awake at first.
   *
   * @param name for its thread and for messages
   */
  Worker start(String name, Task task);

  /** A condition of a lock, to wait on as on one of the lock's own. */
  Condition condition(ReentrantLock lock);

  /**
   * A moment inside a step at which others may go first. The caller holds no lock, and nothing it
   * relies on may be changed by them.
   */
  void giveWay();

  /** Nanoseconds of a clock that never goes back; only differences have a meaning. */
  long nanoTime();
}
