// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.thread;

import com.google.common.util.concurrent.Uninterruptibles;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Workers that run every task on a daemon thread of its own, with the system's clock. Safe to share
 * between threads.
 *
 * <p>A thread survives exceptions of its task, such as an OutOfMemoryError caused by the
 * application: it logs the exception, pauses, and calls the task again. The pause is 10 ms at first
 * and grows to 1 s.
 */
public final class WorkerThreads implements Workers {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /**
   * Pause in nanoseconds after the first failed step; it doubles up to {@link #MAX_PAUSE_NANOS}.
   */
  private static final long FIRST_PAUSE_NANOS = 10_000_000;

  private static final long MAX_PAUSE_NANOS = 1_000_000_000;

  @Override
  public Worker start(String name, Task task) {
    WorkerThread worker = new WorkerThread(name, task);
    worker.thread.start();
    return worker;
  }

  @Override
  public Condition condition(ReentrantLock lock) {
    return lock.newCondition();
  }

  /** Does nothing: the system schedules other threads by itself. */
  @Override
  public void giveWay() {}

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  /** Thread of one task, which repeats its steps until it is closed. */
  private static final class WorkerThread implements Worker {
    private final Task task;
    private final Thread thread;
    private volatile boolean woken;
    private volatile boolean closed;

    WorkerThread(String name, Task task) {
      this.task = task;
      thread = new Thread(this::work, name);
      thread.setDaemon(true);
    }

    private void work() {
      long pause = 0;
      while (!closed) {
        try {
          woken = false;
          long nanos = task.step();
          pause = 0;
          rest(nanos);
        } catch (Throwable e) {
          pause = Math.min(MAX_PAUSE_NANOS, Math.max(FIRST_PAUSE_NANOS, 2 * pause));
          log(e);
          pause(pause);
        }
      }
    }

    /**
     * Logs the failure of a step. Never throws, so that the thread survives a failure of the logger
     * too.
     */
    private void log(Throwable problem) {
      try {
        LOG.log(
            System.Logger.Level.WARNING,
            thread.getName() + " failed and will try again: " + problem,
            problem);
      } catch (Throwable again) {
        // The heap is full. If the failure persists, its next occurrence is logged.
      }
    }

    /**
     * Waits the full time even if the thread is woken, because a repeated step would probably fail
     * again.
     */
    private void pause(long nanos) {
      long started = System.nanoTime();
      for (long left = nanos; left > 0 && !closed; left = nanos - (System.nanoTime() - started)) {
        Thread.interrupted();
        LockSupport.parkNanos(this, left);
      }
    }

    private void rest(long nanos) {
      long started = System.nanoTime();
      for (long left = nanos; left > 0 && !woken && !closed; ) {
        // An interrupt has no meaning here and would turn waiting into spinning.
        Thread.interrupted();
        if (nanos == UNTIL_WOKEN) {
          LockSupport.park(this);
        } else {
          LockSupport.parkNanos(this, left);
          left = nanos - (System.nanoTime() - started);
        }
      }
    }

    @Override
    public void wake() {
      woken = true;
      LockSupport.unpark(thread);
    }

    @Override
    public void close() {
      closed = true;
      LockSupport.unpark(thread);
      Uninterruptibles.joinUninterruptibly(thread);
    }
  }
}
