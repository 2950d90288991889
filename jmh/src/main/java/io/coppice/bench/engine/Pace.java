// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Clock of a steady stream of operations: returns the due time of each. Used by one thread. */
final class Pace {

  /** Shortest wait in nanoseconds that the thread sleeps through; it spins through shorter ones. */
  private static final long MIN_SLEEP_NANOS = 100_000;

  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final double nanosEach;
  private final long start = System.nanoTime();
  private long operations;

  /** Creates a pace in operations per second; 0 means no limit. */
  Pace(double perSecond) {
    nanosEach = perSecond <= 0 ? 0 : NANOS / perSecond;
  }

  /**
   * Waits until the next operation is due, and returns its due time by {@link System#nanoTime};
   * without a limit, returns the present time at once.
   */
  long next() {
    if (nanosEach == 0) {
      return System.nanoTime();
    }
    long due = start + (long) (nanosEach * operations++);
    for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
      if (left > MIN_SLEEP_NANOS) {
        LockSupport.parkNanos(left - MIN_SLEEP_NANOS / 2);
      } else {
        Thread.onSpinWait();
      }
    }
    return due;
  }
}
