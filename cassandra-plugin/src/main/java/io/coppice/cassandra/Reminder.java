// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

/** Says when a warning that still holds is to be repeated. Used under its strategy's monitor. */
final class Reminder {

  private final long pauseNanos;
  private boolean given;
  private long lastNanos;

  Reminder(long pauseNanos) {
    this.pauseNanos = pauseNanos;
  }

  /** Returns true the first time, and then once for each pause. */
  boolean isDue(long nowNanos) {
    if (given && nowNanos - lastNanos < pauseNanos) {
      return false;
    }
    given = true;
    lastNanos = nowNanos;
    return true;
  }
}
