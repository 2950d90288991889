// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Gives every task a daemon thread of its own, and takes the time from the system. Safe to share
 * between threads.
 */
public final class WorkerThreads implements Workers {

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

  /** The system lets others go first without being asked. */
  @Override
  public void giveWay() {}

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  /** Steps until it is closed. */
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
      while (!closed) {
        woken = false;
        rest(task.step());
      }
    }

    private void rest(long nanos) {
      long started = System.nanoTime();
      for (long left = nanos; left > 0 && !woken && !closed; ) {
        // An interrupt has no meaning here, and would turn waiting into spinning.
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
      boolean interrupted = false;
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
