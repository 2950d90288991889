// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Growth of counters over a moving window such as the last hour. It keeps at most about sixty
 * samples per window. The window therefore has its nominal length only if callers sample at least
 * that often; it is longer after a pause and shorter at the start. The caller passes the time.
 * Thread-safe.
 */
public final class CounterWindow {

  /** Nanoseconds of an hour. */
  public static final long HOUR = 3_600_000_000_000L;

  /** Nanoseconds of a day. */
  public static final long DAY = 24 * HOUR;

  private static final int SAMPLES = 60;

  private record Sample(long nanos, double[] sums) {}

  private final long nanos;

  /** Samples, oldest first; the first is the last one at or before the start of the window. */
  private final Deque<Sample> samples = new ArrayDeque<>();

  /**
   * Creates a window without samples.
   *
   * @param nanos length of the window in nanoseconds
   */
  public CounterWindow(long nanos) {
    this.nanos = nanos;
  }

  /**
   * Returns the growth of each counter in the window that ends now, in the order of {@code sums};
   * zeros at the first call.
   *
   * @param nowNanos present time in nanoseconds, at least that of the previous call
   * @param sums the counters, in the same number and order at each call
   */
  public synchronized double[] since(long nowNanos, double... sums) {
    if (samples.isEmpty() || nowNanos - samples.getLast().nanos >= nanos / SAMPLES) {
      samples.add(new Sample(nowNanos, sums.clone()));
    }
    Sample begin = samples.remove();
    while (!samples.isEmpty() && nowNanos - samples.getFirst().nanos >= nanos) {
      begin = samples.remove();
    }
    samples.addFirst(begin);
    double[] grown = new double[sums.length];
    for (int i = 0; i < sums.length; i++) {
      grown[i] = sums[i] - begin.sums[i];
    }
    return grown;
  }
}
