// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.lang.ref.WeakReference;
import org.apache.cassandra.metrics.RestorableMeter;

/**
 * An SSTable's read meter that also tells, once, that it has been marked so many times more. Marked
 * by reading threads, so that costs two reads of memory more than a meter of Cassandra's own.
 */
final class WatchedMeter extends RestorableMeter {

  /** Is told by a reading thread, which it must not hold up. */
  interface Listener {
    void ripe();
  }

  private static final WeakReference<Listener> NOBODY = new WeakReference<>(null);

  // Hot: read by every mark.
  private volatile long ripeAt = Long.MAX_VALUE;
  private volatile boolean ripe;

  // Weak: an SSTable is never to be held by what its own clean-up holds.
  private volatile WeakReference<Listener> listener = NOBODY;
  private long countedFrom = -1;

  /** Goes on with the rates of another meter; null stands for one that has seen nothing. */
  static WatchedMeter of(RestorableMeter before) {
    if (before instanceof WatchedMeter watched) {
      return watched;
    }
    return before == null
        ? new WatchedMeter(0, 0)
        : new WatchedMeter(before.fifteenMinuteRate(), before.twoHourRate());
  }

  private WatchedMeter(double fifteenMinuteRate, double twoHourRate) {
    super(fifteenMinuteRate, twoHourRate);
  }

  /**
   * Has the listener, which is held weakly, told once there are so many marks. Marks before the
   * first call count from there on not at all, those between two calls do.
   */
  synchronized void await(long marks, Listener told) {
    if (countedFrom < 0) {
      countedFrom = count();
    }
    if (listener.get() != told) {
      listener = new WeakReference<>(told);
    }
    ripeAt = countedFrom + marks;
    if (count() < ripeAt) {
      ripe = false;
    }
  }

  /** Tells nobody any more, and forgets the marks counted. */
  synchronized void rest() {
    ripeAt = Long.MAX_VALUE;
    countedFrom = -1;
    ripe = false;
    listener = NOBODY;
  }

  /** True once there have been as many marks as awaited. */
  boolean ripe() {
    return ripe;
  }

  @Override
  public void mark(long times) {
    super.mark(times);
    if (count() >= ripeAt && !ripe) {
      ripe = true;
      Listener told = listener.get();
      if (told != null) {
        told.ripe();
      }
    }
  }
}
