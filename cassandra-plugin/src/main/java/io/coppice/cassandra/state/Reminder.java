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

  public Reminder(long pauseNanos) {
    this.pauseNanos = pauseNanos;
  }

  /** Returns whether to warn now: true at the first call, and then at most once per interval. */
  public boolean tryRemind(long nowNanos) {
    if (given && nowNanos - lastNanos < pauseNanos) {
      return false;
    }
    given = true;
    lastNanos = nowNanos;
    return true;
  }
}
