// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read.stats;

import io.coppice.io.ReadBatch;

/**
 * Chooser of the number of blocks that an adaptive lookup reads at once. One per family. Concurrent
 * updates may lose each other.
 *
 * <p>A search keeps {@code w} reads in flight and starts others as results arrive. It needs {@code
 * n} results, and a share {@code e} of searches ends with a hit. Such a hit wastes {@code w - 1}
 * other reads, limited by the candidates left, about {@code n} on average: {@code n·(1 - (1 -
 * 1/n)^(w-1))} reads. All {@code r} reads cost {@code r/w} rounds of an idle device, at least one;
 * a round takes {@code a} microseconds. Each read also costs its share {@code b·c} of a device that
 * {@code c} threads keep busy, and 4 microseconds of processor time. {@link ReadLatencyModel} has
 * learned {@code a}, {@code b} and {@code c}. The chooser takes the {@code w} with the least total.
 * Misses and lone clients therefore read many blocks at once; hits on a busy device waste few
 * reads. The method is Coppice's own. Safe to share between threads.
 */
public final class SearchWidth {

  /** Number of reads in flight that keeps a present-day device busy. */
  private static final int BUSY_READS = 32;

  /** Processor time of this process per read, in microseconds. */
  private static final float READ_MICROS = 4;

  /** Weight of the newest search in the averages. */
  private static final float NEWEST = 1f / 16;

  /** Moving average of the number of results that a search needed. */
  private float answers = 8;

  /** Moving average of the share of searches that a hit ended. */
  private float ends = 1;

  /**
   * Records the number of blocks outside memory that a search needed.
   *
   * @param found whether a hit ended the search
   */
  public void learn(int needed, boolean found) {
    answers += NEWEST * (needed - answers);
    ends += NEWEST * ((found ? 1 : 0) - ends);
  }

  /** Returns whether this many reads in flight keep a device busy. */
  public static boolean isBusy(int inFlight) {
    return inFlight >= BUSY_READS;
  }

  /**
   * Returns the number of reads that a search should keep in flight: a power of two from 1 to
   * {@link ReadBatch#MAX_READS}.
   *
   * @param inFlight reads of other searches in flight now
   */
  public int choose(int inFlight, ReadLatencyModel times) {
    float each = times.each() * times.threads(inFlight) + READ_MICROS;
    float idle = times.idle();
    float needed = Math.max(answers, 1);
    float goesOn = 1 - 1 / needed;
    int best = 1;
    float least = Float.MAX_VALUE;
    // Probability that enough candidates are left for all reads in vain: (1 - 1/n)^(w-1).
    float left = 1;
    for (int width = 1; width <= ReadBatch.MAX_READS; width *= 2) {
      float reads = needed + ends * needed * (1 - left);
      float cost = Math.max(1, reads / width) * idle + reads * each;
      if (cost <= least) {
        least = cost;
        best = width;
      }
      left *= left * goesOn;
    }
    return best;
  }
}
