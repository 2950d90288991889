// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import org.apache.cassandra.utils.Clock;

/**
 * Throttle for work that costs processor time. After work, a pause lasts a hundred times its
 * processor time above 5 ms, and at most 30 seconds. Frequent requests that each take 20 to 300 ms
 * therefore cost at most 1.4 % of a core. Shorter ones, and those above 300 ms, may cost more. Time
 * spent waiting for a processor does not count. The caller holds its own lock during the work.
 */
final class CpuThrottle {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final long REST_TO_WORK = 100;
  private static final long FREE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(30);

  private volatile long untilNanos = Clock.Global.nanoTime();

  /**
   * Returns whether the pause after the last work still lasts, so that the caller should skip the
   * work.
   */
  boolean on() {
    return Clock.Global.nanoTime() - untilNanos < 0;
  }

  /**
   * Runs the work on this thread, then starts the pause that {@link #rest} computes from its
   * processor time. If the work throws, there is no pause.
   */
  void after(Runnable work) {
    long begun = THREADS.getCurrentThreadCpuTime();
    work.run();
    untilNanos = Clock.Global.nanoTime() + rest(THREADS.getCurrentThreadCpuTime() - begun);
  }

  /**
   * Returns the pause after work, both in nanoseconds: a hundred times the processor time above 5
   * ms, at most 30 s.
   */
  static long rest(long workNanos) {
    long counted = Math.min(MAX_NANOS, Math.max(0, workNanos - FREE_NANOS));
    return Math.min(MAX_NANOS, REST_TO_WORK * counted);
  }
}
