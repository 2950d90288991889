// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.cassandra.concurrent.ScheduledExecutors;

/**
 * A machine whose files go late: the thread that deletes SSTables after their merge has something
 * else to do between any two of them.
 */
public final class LateDeletions implements AutoCloseable {

  private static final int MILLIS = 30;

  private final AtomicInteger times = new AtomicInteger();
  private volatile boolean closed;

  /** Files go late from now on. */
  public LateDeletions() {
    again();
  }

  private void again() {
    if (!closed) {
      ScheduledExecutors.nonPeriodicTasks.schedule(this::delay, 0, TimeUnit.MILLISECONDS);
    }
  }

  private void delay() {
    times.incrementAndGet();
    try {
      Thread.sleep(MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    again();
  }

  /** How often it had. */
  public int times() {
    return times.get();
  }

  @Override
  public void close() {
    closed = true;
  }
}
