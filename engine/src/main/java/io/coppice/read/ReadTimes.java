// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

/**
 * How long reads take by how many are in flight, learnt from those that were waited for: a + b·n
 * microseconds until n of them have ended. A device that works at one read at a time has a small a,
 * one that works at many has a small b. Kept for a store; threads that learn at the same time may
 * lose what one of them has learnt.
 *
 * <p>A line through moving averages. While n hardly varies, the slope is drawn to that of a device
 * whose single read takes seven times its share of a full one. Ours.
 */
final class ReadTimes {

  /** Of the device that is assumed until others are known, in shares of a read. */
  private static final float USUAL_IDLE = 6;

  private static final float USUAL_MICROS = 70;

  /** How much n has to vary, squared, for its slope to count as much as the usual one. */
  private static final float USUAL_WEIGHT = 16;

  /** The share of the newest reads in what was learnt, in the end and in the beginning. */
  private static final float NEWEST = 1f / 256;

  private static final float FIRST = 1f / 16;

  /** The share of the newest reads in how many a thread begins. */
  private static final float NEWEST_BEGUN = 1f / 64;

  /** What comes faster was in memory after all, and tells nothing of a device. */
  private static final long MEMORY_NANOS = 8_000;

  /** What takes longer than so many times what is usual was held up by something else. */
  private static final float MOST = 2;

  private float reads = 1;
  private float micros = USUAL_MICROS;
  private float variance;
  private float covariance;

  private float newest = FIRST;

  /** Reads that a thread began together, on a moving average. */
  private float together = 1;

  /** Takes in that a thread begins so many reads together. */
  void began(int own) {
    together += NEWEST_BEGUN * (own - together);
  }

  /**
   * Takes in what a thread has waited for.
   *
   * @param others reads in flight when it began its own
   * @param awaited those of its own that it waited for
   */
  void learn(int others, int awaited, long nanos) {
    if (nanos < MEMORY_NANOS) {
      return;
    }
    // Read once: what others learn meanwhile may be lost, but must not be counted in part.
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

  /** The share of a read of a device that has as many as it can work at, in microseconds. */
  float each() {
    float usual = micros / (USUAL_IDLE + reads);
    float slope = (covariance + USUAL_WEIGHT * usual) / (variance + USUAL_WEIGHT);
    // Neither part is ever nothing.
    return Math.min(Math.max(slope, usual / USUAL_IDLE), micros / (reads + 0.5f));
  }

  /** What a read takes of an idle device beside that, in microseconds. */
  float idle() {
    return micros - each() * reads;
  }

  /** About how many threads share the device, this one among them, by the reads of the others. */
  float threads(int inFlight) {
    return 1 + inFlight / together;
  }
}
