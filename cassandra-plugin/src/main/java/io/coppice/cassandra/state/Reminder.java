// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

/**
 * The interval between repetitions of a persisting warning. Called under the monitor of its
 * strategy.
 */
public final class Reminder {

  private final long pauseNanos;
  private boolean given;
  private long lastNanos;

  public Reminder(long pauseNanos) {
    this.pauseNanos = pauseNanos;
  }

  /** Returns true at the first call, and then once per interval. */
  public boolean isDue(long nowNanos) {
    if (given && nowNanos - lastNanos < pauseNanos) {
      return false;
    }
    given = true;
    lastNanos = nowNanos;
    return true;
  }
}
