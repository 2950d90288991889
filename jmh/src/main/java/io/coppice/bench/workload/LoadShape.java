// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.workload;

/**
 * How much is written, and in how many flushes.
 *
 * @param flushes number of flushes in all
 * @param operationsPerFlush statements between two flushes, whole partitions of new rows
 * @param valueBytes mean length of a value; values vary by a quarter around it
 */
public record LoadShape(int flushes, int operationsPerFlush, int valueBytes) {

  /** Rows of a partition, clustering 0 to 3. */
  public static final int ROWS_PER_PARTITION = 4;

  /** Fewest flushes that tell strategies apart. */
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
   * Returns the number of first flushes that only insert new rows in token order, like a copy from
   * another cluster. The rest of the load is the mix. Only very short loads have fewer than four,
   * since their data must still grow by a fanout.
   */
  public int bulkFlushes() {
    return Math.min(ORDERED_FLUSHES, (flushes + 2) / 4);
  }

  /** Returns the total number of statements. */
  public long operations() {
    return (long) flushes * operationsPerFlush;
  }

  /** Returns the number of statements in the ordered part. */
  public long bulkOperations() {
    return (long) bulkFlushes() * operationsPerFlush;
  }
}
