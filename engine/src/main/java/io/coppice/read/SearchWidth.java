// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.io.ReadBatch;

/**
 * How many blocks an adaptive lookup reads at once. Kept for a family; threads that learn at the
 * same time may lose what one of them has learnt.
 *
 * <p>If each answer ends a search with probability p, a batch of w reads is the last with
 * probability f = 1 - (1 - p)^w, and f / p of its answers are waited for, newest first. The others
 * are in vain and cost the more the more the device is wanted by others, a share of s: A + B·(f / p
 * + s·(w - f / p)). A search takes that divided by f, and the w with the least is chosen. B is a
 * read's share of a device that works as fast as it can. A is the time of one read while the device
 * is idle; while it is busy it serves others meanwhile, and only the work of a batch in this
 * process is left. So searches without success, and those of a lone client, read many blocks at
 * once, and hits on a busy device read few in vain. Ours.
 */
final class SearchWidth {

  /** Reads in flight at which a device of today is busy. */
  private static final int BUSY_READS = 32;

  private static final float IDLE_BATCH_MICROS = 60;
  private static final float BUSY_BATCH_MICROS = 15;
  private static final float READ_MICROS = 10;

  /** What a read in vain costs a lone client, of one that is waited for: work in this process. */
  private static final float LEAST_IN_VAIN = 1f / 4;

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
  int choose(int inFlight) {
    float miss = Math.min(MAX_MISS, 1 - ends / Math.max(answers, ends));
    float busy = Math.min(1, (float) inFlight / BUSY_READS);
    float batch = IDLE_BATCH_MICROS + busy * (BUSY_BATCH_MICROS - IDLE_BATCH_MICROS);
    float inVain = Math.max(LEAST_IN_VAIN, busy);
    int best = 1;
    float least = Float.MAX_VALUE;
    // The chance that all reads of a batch miss: squared as the batch doubles.
    float allMiss = miss;
    for (int width = 1; width <= ReadBatch.MAX_READS; width *= 2) {
      float last = 1 - allMiss;
      float awaited = last / (1 - miss);
      float cost = (batch + READ_MICROS * (awaited + inVain * (width - awaited))) / last;
      if (cost <= least) {
        least = cost;
        best = width;
      }
      allMiss *= allMiss;
    }
    return best;
  }
}
