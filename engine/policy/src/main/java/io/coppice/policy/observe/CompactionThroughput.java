// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

/**
 * Compaction throughput: bytes that merges write per second while at least one runs. Recent minutes
 * count most. A host reports the working time of each step. A host that does not measure steps
 * instead reports at each inspection whether a merge is running, and inspects at least at both ends
 * of every merge. Thread-safe.
 */
public final class CompactionThroughput {

  private static final double SECOND = 1e9;

  // Busy seconds after which an older measurement counts half.
  private static final double HALF_LIFE_SECONDS = 300;

  // Less working time than this would give a noisy throughput.
  private static final double MIN_SECONDS = 0.1;

  // All fields below are guarded by this.
  private boolean begun;
  private boolean busy;
  private long lastNanos;
  private double seconds;
  private double bytes;

  /** Creates a measurement without data. */
  public CompactionThroughput() {}

  /**
   * Records whether a merge is running at this instant.
   *
   * @param nowNanos time of a monotonic clock, in nanoseconds
   */
  public synchronized void at(long nowNanos, boolean mergeUnderWay) {
    if (begun && busy) {
      worked(nowNanos - lastNanos);
    }
    begun = true;
    busy = mergeUnderWay;
    lastNanos = nowNanos;
  }

  /** Adds working time of a merge, in nanoseconds; a negative time counts as 0. */
  public synchronized void worked(long nanos) {
    double passed = Math.max(0, nanos) / SECOND;
    double fading = Math.pow(0.5, passed / HALF_LIFE_SECONDS);
    seconds = seconds * fading + passed;
    bytes *= fading;
  }

  /** Adds bytes of output tables that a merge has written since its last report. */
  public synchronized void wrote(long writtenBytes) {
    bytes += writtenBytes;
  }

  /**
   * Returns the time in whole seconds that merges need to write the bytes, rounded up; 0 for no
   * bytes, -1 while the throughput is unknown.
   */
  public long seconds(long ofBytes) {
    double pace = bytesPerSecond();
    if (ofBytes == 0) {
      return 0;
    }
    return pace > 0 ? (long) Math.ceil(ofBytes / pace) : -1;
  }

  /** Returns the throughput in bytes per second, or 0 while it is unknown. */
  public synchronized double bytesPerSecond() {
    return seconds < MIN_SECONDS ? 0 : bytes / seconds;
  }
}
