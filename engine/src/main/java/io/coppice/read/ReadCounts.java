// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What the lookups of one thread did. Only that thread counts; any may read, and sees each number
 * as it was some moment ago. Not final for the sake of {@link None}, which is loaded where nothing
 * is counted; elsewhere the compiler knows that there is but one.
 */
class ReadCounts {

  /** Counts nothing, and so never comes to a lookup that is to be sampled. */
  static final class None extends ReadCounts {
    @Override
    void add(int what, long count) {
      // Nobody asks.
    }

    @Override
    long own(int what) {
      return 1;
    }
  }

  static final int LOOKUPS = 0;
  static final int TABLES = 1;
  static final int BLOCKS = 2;
  static final int BLOCK_BYTES = 3;
  static final int FOUND_BYTES = 4;
  static final int TRUE_POSITIVES = 5;
  static final int FALSE_POSITIVES = 6;
  static final int BATCHES = 7;
  static final int BATCH_READS = 8;
  static final int WASTED_READS = 9;

  /** Lookups that found nothing. */
  static final int MISSES = 10;

  /** What single lookups took together, told from those that were timed. */
  static final int NANOS = 11;

  /** How many there are. */
  static final int SIZE = 12;

  /** Two lines of the processor's cache apart from those of other threads. */
  private static final int PADDED = 32;

  private final AtomicLongArray counts = new AtomicLongArray(PADDED);

  void add(int what, long count) {
    counts.setOpaque(what, counts.getPlain(what) + count);
  }

  /** As the counting thread sees it. */
  long own(int what) {
    return counts.getPlain(what);
  }

  /** Adds all of them to a sum. */
  void addTo(long[] sum) {
    for (int i = 0; i < SIZE; i++) {
      sum[i] += counts.getOpaque(i);
    }
  }
}
