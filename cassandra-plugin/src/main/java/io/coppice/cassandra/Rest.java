// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import org.apache.cassandra.utils.Clock;

/**
 * How long to leave something alone that costs processor time, so that it takes at most a hundredth
 * of a core however often it is asked for. What costs next to nothing is never left alone. Time
 * spent waiting for a busy machine does not count. The work itself is done under the caller's lock.
 */
final class Rest {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static final long REST_TO_WORK = 100;
  private static final long FREE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(30);

  private volatile long untilNanos = Clock.Global.nanoTime();

  /** True while it should not be done. */
  boolean on() {
    return Clock.Global.nanoTime() - untilNanos < 0;
  }

  /** Does it, and rests afterwards as it cost. */
  void after(Runnable work) {
    long begun = THREADS.getCurrentThreadCpuTime();
    work.run();
    untilNanos = Clock.Global.nanoTime() + rest(THREADS.getCurrentThreadCpuTime() - begun);
  }

  /** How long to rest after so much work, both in nanoseconds. */
  static long rest(long workNanos) {
    long counted = Math.min(MOST_NANOS, Math.max(0, workNanos - FREE_NANOS));
    return Math.min(MOST_NANOS, REST_TO_WORK * counted);
  }
}
