// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.workload;

/**
 * Size of a load: how much is written, and in how many flushes.
 *
 * @param flushes number of flushes
 * @param operationsPerFlush number of statements between two flushes; new rows come in whole
 *     partitions
 * @param valueBytes mean length of a value; lengths differ from it by up to a quarter
 */
public record LoadShape(int flushes, int operationsPerFlush, int valueBytes) {

  /** Number of rows in a partition, with the clusterings 0 to 3. */
  public static final int ROWS_PER_PARTITION = 4;

  /** Least number of flushes with which strategies differ. */
  public static final int FLUSHES_TO_JUDGE = 40;

  private static final int ORDERED_FLUSHES = 4;

  /**
   * Checks that no number is too small.
   *
   * @throws IllegalArgumentException if one is too small; the message names it
   */
  public LoadShape {
    if (flushes < 2 || valueBytes < 16) {
      throw new IllegalArgumentException(
          "flushes (%d) must be at least 2, valueBytes (%d) at least 16"
              .formatted(flushes, valueBytes));
    }
    if (operationsPerFlush < ROWS_PER_PARTITION || operationsPerFlush % ROWS_PER_PARTITION != 0) {
      throw new IllegalArgumentException(
          "operationsPerFlush (%d) must be a positive multiple of %d"
              .formatted(operationsPerFlush, ROWS_PER_PARTITION));
    }
  }

  /**
   * Returns the number of flushes, at the beginning, that only insert new rows in token order, like
   * a copy from another cluster. The rest of the load is the mix, see {@link Workload}. Only very
   * short loads have fewer than four, because their data must still grow by a fanout.
   */
  public int bulkFlushes() {
    return Math.min(ORDERED_FLUSHES, (flushes + 2) / 4);
  }

  /** Returns the total number of statements. */
  public long operations() {
    return (long) flushes * operationsPerFlush;
  }

  /** Returns the number of statements that only insert new rows in token order. */
  public long bulkOperations() {
    return (long) bulkFlushes() * operationsPerFlush;
  }
}
