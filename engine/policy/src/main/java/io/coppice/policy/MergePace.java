// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * How many bytes merges write in a second of those in which one was under way, the last minutes
 * counting most. A host says how long each step worked, or, where nobody measures steps, whether a
 * merge is under way whenever the arrangement is looked at, which must be at least at both ends of
 * every merge. Thread-safe.
 */
public final class MergePace {

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

  /** Nothing is known yet. */
  public MergePace() {}

  /** At this instant a merge is under way, or none is. */
  public synchronized void at(long nowNanos, boolean mergeUnderWay) {
    if (begun && busy) {
      worked(nowNanos - lastNanos);
    }
    begun = true;
    busy = mergeUnderWay;
    lastNanos = nowNanos;
  }

  /** A merge has worked so long. */
  public synchronized void worked(long nanos) {
    double passed = Math.max(0, nanos) / SECOND;
    double fading = Math.pow(0.5, passed / HALF_LIFE_SECONDS);
    seconds = seconds * fading + passed;
    bytes *= fading;
  }

  /** A merge has written so much. */
  public synchronized void wrote(long writtenBytes) {
    bytes += writtenBytes;
  }

  /** How long so many bytes take, rounded up; 0 for none, -1 while the pace is not known. */
  public long seconds(long ofBytes) {
    double pace = bytesPerSecond();
    if (ofBytes == 0) {
      return 0;
    }
    return pace > 0 ? (long) Math.ceil(ofBytes / pace) : -1;
  }

  /** 0 while it is not known. */
  public synchronized double bytesPerSecond() {
    return seconds < LEAST_SECONDS ? 0 : bytes / seconds;
  }
}
