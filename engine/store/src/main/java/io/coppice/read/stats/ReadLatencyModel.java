// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read.stats;

/**
 * Model of the device's read time, learned from completed waits: {@code a + b·n} microseconds until
 * n reads in flight have completed. A device that serves one read at a time has a small a; one that
 * serves many has a small b. One model per store. Concurrent updates may lose each other.
 *
 * <p>The model is a regression line through moving averages. While n hardly varies, its slope tends
 * to that of a device whose single read takes seven times its share under full load. The method is
 * Coppice's own. Safe to share between threads.
 */
public final class ReadLatencyModel {

  /** Idle time of the assumed device, as a multiple of its time per read under load. */
  private static final float USUAL_IDLE = 6;

  private static final float USUAL_MICROS = 70;

  /** Variance of n that makes the measured slope weigh as much as the assumed one. */
  private static final float USUAL_WEIGHT = 16;

  /** Weight of the newest sample in the averages. Early samples weigh more. */
  private static final float NEWEST = 1f / 256;

  private static final float FIRST = 1f / 16;

  /** Weight of the newest sample in the number of reads that a thread begins. */
  private static final float NEWEST_BEGUN = 1f / 64;

  /** Reads of fewer nanoseconds came from memory and are ignored. */
  private static final long MEMORY_NANOS = 8_000;

  /**
   * Longest accepted duration, as a multiple of the expected one; longer waits had another cause.
   */
  private static final float MOST = 2;

  /** Moving average of the reads in flight. */
  private float reads = 1;

  /** Moving average of the waits, in microseconds. */
  private float micros = USUAL_MICROS;

  private float variance;
  private float covariance;

  private float newest = FIRST;

  /** Moving average of the number of reads that a thread begins together. */
  private float together = 1;

  /** Records that a thread begins this number of reads together. */
  public void began(int own) {
    together += NEWEST_BEGUN * (own - together);
  }

  /**
   * Records a completed wait.
   *
   * @param others number of reads in flight when the thread began its own
   * @param awaited number of own reads that the thread waited for
   * @param nanos duration of the wait in nanoseconds
   */
  public void learn(int others, int awaited, long nanos) {
    if (nanos < MEMORY_NANOS) {
      return;
    }
    // Read once: a concurrent update may get lost, but must not count in part.
    float mean = micros;
    float meanReads = reads;
    int count = others + awaited;
    float took = Math.min(nanos / 1000f, MOST * mean * Math.max(1, count / meanReads));
    float more = count - meanReads;
    float longer = took - mean;
    float share = newest;
    newest = Math.max(NEWEST, share / (1 + share));
    reads = meanReads + share * more;
    micros = mean + share * longer;
    variance = (1 - share) * (variance + share * more * more);
    covariance = (1 - share) * (covariance + share * more * longer);
  }

  /** Returns b, the share of one read on a fully loaded device, in microseconds. */
  float each() {
    float usual = micros / (USUAL_IDLE + reads);
    float slope = (covariance + USUAL_WEIGHT * usual) / (variance + USUAL_WEIGHT);
    // Keeps both a and b above zero.
    return Math.min(Math.max(slope, usual / USUAL_IDLE), micros / (reads + 0.5f));
  }

  /**
   * Returns the part of a read's time that does not grow with the reads in flight, in microseconds.
   */
  float idle() {
    return micros - each() * reads;
  }

  /**
   * Returns an estimate of the number of threads that share the device, this one included; 1 or
   * more.
   *
   * @param inFlight number of reads of the other threads
   */
  float threads(int inFlight) {
    return 1 + inFlight / together;
  }
}
