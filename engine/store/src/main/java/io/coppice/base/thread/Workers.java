// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.thread;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Background execution, waiting and clock of a store behind one interface, so that a test can let a
 * seed decide the schedule. {@link WorkerThreads} gives every task a thread. A test may instead run
 * all tasks on its own thread, step by step; a thread that waits on a {@link #condition} then runs
 * steps of other tasks. Safe to share between threads.
 *
 * <p>A waiting thread holds only the condition's lock and locks that tasks never take.
 */
public interface Workers {

  /** Result of a task that has nothing to do until it is woken. */
  long UNTIL_WOKEN = Long.MAX_VALUE;

  /** Background work in steps, run by one thread at a time. */
  interface Task {
    /**
     * Does some of the work and returns. One thread at a time calls. A step that throws is repeated
     * after a pause, so it must leave a consistent state.
     *
     * @return nanoseconds until the next call unless the task is woken before: 0 if there is more
     *     to do now, {@link #UNTIL_WOKEN} if there is nothing
     */
    long step();
  }

  /** Handle of a started task. Safe to share between threads. */
  interface Worker extends AutoCloseable {
    /**
     * Ends the task's pause between two steps. During a step, it makes another step follow. Does
     * not wait.
     */
    void wake();

    /**
     * Ends the task: waits for the step in progress, and none follows. An interrupt does not end
     * the wait. Never called by the task itself. Idempotent.
     */
    @Override
    void close();
  }

  /**
   * Starts a task, whose first step follows at once; does not wait for it. The caller closes the
   * worker.
   *
   * @param name name of its thread, also for messages
   * @throws OutOfMemoryError if no thread can be created
   */
  Worker start(String name, Task task);

  /** Returns a condition of a lock, used like one of the lock's own. */
  Condition condition(ReentrantLock lock);

  /**
   * Lets other tasks run at a point inside a step. The caller holds no lock and relies only on
   * state that other tasks leave unchanged.
   */
  void giveWay();

  /** Returns the time of a monotonic clock in nanoseconds; only differences have a meaning. */
  long nanoTime();
}
