// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.io.ReadBatch;

/**
 * How many blocks an adaptive lookup reads at once. Kept for a family; threads that learn at the
 * same time may lose what one of them has learnt.
 *
 * <p>A search keeps w reads under way and begins others as answers come. It needs n answers, and a
 * share e of searches is ended by one; then w - 1 other reads were begun in vain, or as many as
 * there were candidates left, which is about n in the mean: n·(1 - (1 - 1/n)^(w-1)). Of r reads in
 * all, r/w rounds wait for an idle device, a microseconds each, and each read waits for its share
 * of one that c threads keep busy, b·c; {@link ReadTimes} has learnt a, b and c. The w with the
 * least of that is chosen. So searches without success, and those of a lone client, read many
 * blocks at once, and hits on a busy device read few in vain. Ours.
 */
final class SearchWidth {

  /** Reads in flight at which a device of today is busy. */
  private static final int BUSY_READS = 32;

  /** Work of this process for each read, however fast the device. */
  private static final float READ_MICROS = 4;

  /** The share of the newest search in what was learnt. */
  private static final float NEWEST = 1f / 16;

  /** Answers that a search needed, and those of them that ended it, on a moving average. */
  private float answers = 8;

  private float ends = 1;

  /** Takes in a search that needed so many blocks that were not at hand. */
  void learn(int needed, boolean found) {
    answers += NEWEST * (needed - answers);
    ends += NEWEST * ((found ? 1 : 0) - ends);
  }

  /** True if so many reads in flight keep a device busy. */
  static boolean isBusy(int inFlight) {
    return inFlight >= BUSY_READS;
  }

  /** Reads to keep under way while so many others are in flight, a power of two. */
  int choose(int inFlight, ReadTimes times) {
    float each = times.each() * times.threads(inFlight) + READ_MICROS;
    float idle = times.idle();
    float needed = Math.max(answers, 1);
    float goesOn = 1 - 1 / needed;
    int best = 1;
    float least = Float.MAX_VALUE;
    // The chance that as many candidates are left as a search reads in vain: (1 - 1/n)^(w-1).
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
