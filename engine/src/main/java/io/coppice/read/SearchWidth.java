// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.io.ReadBatch;

/**
 * How many blocks an adaptive lookup reads at once. Kept for a family; threads that learn at the
 * same time may lose what one of them has learnt.
 *
 * <p>If each answer ends a search with probability p, a batch of w reads is the last with
 * probability f = 1 - (1 - p)^w, and f / p of its answers are waited for, newest first. The others
 * are in vain and cost the more the more threads share the device, a share of s: A + b·(f / p +
 * s·(w - f / p)). A search takes that divided by f, and the w with the least is chosen. A read of
 * an idle device takes a + b, as {@link ReadTimes} has learnt; of c threads that read at the same
 * time each bears a c-th of a, as the device serves the others meanwhile, so A is a / c, but not
 * less than a batch's work in this process. So searches without success, and those of a lone
 * client, read many blocks at once, and hits on a busy device read few in vain. Ours.
 */
final class SearchWidth {

  /** Reads in flight at which a device of today is busy. */
  private static final int BUSY_READS = 32;

  /** Work of this process for each batch, however many threads share the device. */
  private static final float BATCH_MICROS = 15;

  /** What a read in vain costs a lone client, of one that is waited for: it is in the way. */
  private static final float LEAST_IN_VAIN = 3f / 8;

  /** Nothing is held to be surer: it would be lost in the precision of what follows. */
  private static final float MAX_MISS = 0.999f;

  /** From this on a batch is topped up as answers come in instead of being waited for. */
  static final int TOPPED_UP = 16;

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

  /** Reads for the next batch while so many others are in flight, a power of two. */
  int choose(int inFlight, ReadTimes times) {
    float miss = Math.min(MAX_MISS, 1 - ends / Math.max(answers, ends));
    float threads = times.threads(inFlight);
    float each = times.each();
    float shared = Math.max(BATCH_MICROS, times.idle() / threads);
    float inVain = Math.max(LEAST_IN_VAIN, 1 - 1 / threads);
    int best = 1;
    float least = Float.MAX_VALUE;
    // The chance that all reads of a batch miss: squared as the batch doubles.
    float allMiss = miss;
    for (int width = 1; width <= ReadBatch.MAX_READS; width *= 2) {
      float last = 1 - allMiss;
      float awaited = last / (1 - miss);
      float cost = (shared + each * (awaited + inVain * (width - awaited))) / last;
      if (cost <= least) {
        least = cost;
        best = width;
      }
      allMiss *= allMiss;
    }
    return best;
  }
}
