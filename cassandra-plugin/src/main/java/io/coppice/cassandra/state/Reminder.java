// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

/**
 * Limiter of a persisting warning, which is logged at most once per interval. Called under the
 * monitor of its strategy.
 */
public final class Reminder {

  private final long pauseNanos;
  private boolean given;
  private long lastNanos;

  /**
   * Creates a limiter that has not warned yet.
   *
   * @param pauseNanos the interval in nanoseconds
   */
  public Reminder(long pauseNanos) {
    this.pauseNanos = pauseNanos;
  }

  /**
   * Returns whether to warn now: true at the first call, and then at most once per interval. A
   * return of true begins the next interval.
   */
  public boolean tryRemind(long nowNanos) {
    if (given && nowNanos - lastNanos < pauseNanos) {
      return false;
    }
    given = true;
    lastNanos = nowNanos;
    return true;
  }
}
