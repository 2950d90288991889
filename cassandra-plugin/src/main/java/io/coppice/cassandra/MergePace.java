// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

/**
 * How many bytes merges write in a second of those in which one was under way, the last minutes
 * counting most. Nobody measures single merges: it is told whenever the arrangement is looked at,
 * which is at least at both ends of every merge. Thread-safe.
 */
final class MergePace {

  private static final double SECOND = 1e9;

  // After so many busy seconds what was measured before counts half.
  private static final double HALF_LIFE_SECONDS = 300;

  // A pace of less than a tenth of a second of work would be noise.
  private static final double LEAST_SECONDS = 0.1;

  private boolean begun;
  private boolean busy;
  private long lastNanos;
  private double seconds;
  private double bytes;

  /** At this instant a merge is under way, or none is. */
  synchronized void at(long nowNanos, boolean mergeUnderWay) {
    if (begun && busy) {
      double passed = Math.max(0, nowNanos - lastNanos) / SECOND;
      double fading = Math.pow(0.5, passed / HALF_LIFE_SECONDS);
      seconds = seconds * fading + passed;
      bytes *= fading;
    }
    begun = true;
    busy = mergeUnderWay;
    lastNanos = nowNanos;
  }

  /** A merge has written so much. */
  synchronized void wrote(long writtenBytes) {
    bytes += writtenBytes;
  }

  /** 0 while it is not known. */
  synchronized double bytesPerSecond() {
    return seconds < LEAST_SECONDS ? 0 : bytes / seconds;
  }
}
