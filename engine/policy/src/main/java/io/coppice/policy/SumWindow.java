// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * By how much sums that only grow have grown over the last hour, or any time. Each look is kept for
 * the looks to come, at most sixty of a window, so a window is as long as it says only where there
 * are looks at least as often; it is longer after a pause, and shorter in the beginning. Time comes
 * as a value. Thread-safe.
 */
public final class SumWindow {

  /** Nanoseconds of an hour. */
  public static final long HOUR = 3_600_000_000_000L;

  /** Nanoseconds of a day. */
  public static final long DAY = 24 * HOUR;

  private static final int LOOKS = 60;

  private record Look(long nanos, double[] sums) {}

  private final long nanos;

  /** Oldest first; the first is the last one at or before the window's begin. */
  private final Deque<Look> looks = new ArrayDeque<>();

  /** Makes a window that nobody has looked at. */
  public SumWindow(long nanos) {
    this.nanos = nanos;
  }

  /**
   * What was added to each sum in the window that ends now.
   *
   * @param nowNanos not before that of an earlier look
   * @param sums as many as ever, in the same order
   */
  public synchronized double[] since(long nowNanos, double... sums) {
    if (looks.isEmpty() || nowNanos - looks.getLast().nanos >= nanos / LOOKS) {
      looks.add(new Look(nowNanos, sums.clone()));
    }
    Look begin = looks.remove();
    while (!looks.isEmpty() && nowNanos - looks.getFirst().nanos >= nanos) {
      begin = looks.remove();
    }
    looks.addFirst(begin);
    double[] grown = new double[sums.length];
    for (int i = 0; i < sums.length; i++) {
      grown[i] = sums[i] - begin.sums[i];
    }
    return grown;
  }
}
