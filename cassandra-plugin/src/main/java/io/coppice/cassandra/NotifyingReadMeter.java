// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.ref.WeakReference;
import org.apache.cassandra.metrics.RestorableMeter;

/**
 * Read meter of an SSTable that notifies a listener once reads have marked it a given number of
 * times. Reading threads mark it, at the cost of two memory reads more than Cassandra's own meter.
 */
final class NotifyingReadMeter extends RestorableMeter {

  /** Callback on a reading thread, which must return at once. */
  interface Listener {
    /** Reports that the awaited number of marks is reached; mostly once, rarely by two threads. */
    void ripe();
  }

  private static final WeakReference<Listener> NOBODY = new WeakReference<>(null);

  // Read by every mark.
  private volatile long ripeAt = Long.MAX_VALUE;
  private volatile boolean ripe;

  // Weak, because the clean-up of the SSTable holds the meter, and the listener must not keep the
  // SSTable alive.
  private volatile WeakReference<Listener> listener = NOBODY;

  @GuardedBy("this")
  private long countedFrom = -1;

  /**
   * Returns a meter that continues the rates of another one, but counts marks from 0; {@code
   * before} itself if it is a notifying meter.
   *
   * @param before null for a meter without marks
   */
  static NotifyingReadMeter of(RestorableMeter before) {
    if (before instanceof NotifyingReadMeter watched) {
      return watched;
    }
    return before == null
        ? new NotifyingReadMeter(0, 0)
        : new NotifyingReadMeter(before.fifteenMinuteRate(), before.twoHourRate());
  }

  private NotifyingReadMeter(double fifteenMinuteRate, double twoHourRate) {
    super(fifteenMinuteRate, twoHourRate);
  }

  /**
   * Makes the meter notify a listener after a number of marks, and returns at once. The meter holds
   * the listener weakly. The count starts at the first call and continues across later calls.
   */
  synchronized void await(long marks, Listener receiver) {
    if (countedFrom < 0) {
      countedFrom = count();
    }
    if (listener.get() != receiver) {
      listener = new WeakReference<>(receiver);
    }
    ripeAt = marks > Long.MAX_VALUE - countedFrom ? Long.MAX_VALUE : countedFrom + marks;
    if (count() < ripeAt) {
      ripe = false;
    }
  }

  /** Stops notifying and resets the count of marks. */
  synchronized void rest() {
    ripeAt = Long.MAX_VALUE;
    countedFrom = -1;
    ripe = false;
    listener = NOBODY;
  }

  /** Returns the number of marks since the first call of {@link #await}; 0 while at rest. */
  synchronized long awaited() {
    return countedFrom < 0 ? 0 : count() - countedFrom;
  }

  /** Returns whether the awaited number of marks has been reached. */
  boolean ripe() {
    return ripe;
  }

  @Override
  public void mark(long times) {
    super.mark(times);
    if (count() >= ripeAt && !ripe) {
      ripe = true;
      Listener receiver = listener.get();
      if (receiver != null) {
        receiver.ripe();
      }
    }
  }
}
