// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

/**
 * The budget of a table for merges that reads request. The paper (dCompaction, section 3.3) has no
 * such bound. In a run without it, reads cancelled a seventh of the savings of delaying.
 *
 * <p>The budget is a balance in bytes. A share of each flush and a steady rate are added; each
 * requested merge is subtracted. While the balance is positive, a merge of any size may start, so
 * none is too large forever. Thread-safe.
 */
final class ReadBudget {

  /**
   * Limits on the merges that reads request.
   *
   * @param minHits the number of reads that must have checked SSTables of a group before its merge,
   *     summed over its SSTables
   * @param bytesAHit raises that number for a large group: one read per this many bytes
   * @param coolDownNanos the time after such a merge during which no other one touches its keys in
   *     its level, unless as many bytes are flushed as it merged
   * @param shareOfFlushes the share of flushed bytes that is added to the budget
   * @param bytesPerSecond bytes per second added besides, so that a table without writes gets
   *     merges too
   */
  record Damping(
      int minHits, long bytesAHit, long coolDownNanos, double shareOfFlushes, long bytesPerSecond) {

    /** The defaults: a read that checks one SSTable too many reads about 64 KiB too much. */
    static final Damping STANDARD = new Damping(32, 64 << 10, 60_000_000_000L, 0.25, 4 << 20);

    /**
     * Returns the number of reads required of each SSTable of a group: its share of the group's
     * total.
     *
     * @param sstables the number of SSTables in the group
     */
    long hitsOfEach(long groupBytes, int sstables) {
      long hits = Math.max(minHits, groupBytes / Math.max(1, bytesAHit));
      return (hits + sstables - 1) / sstables;
    }
  }

  // Enough for a few merges at once after a quiet time, and for the first merges after the start.
  private static final int MAX_TABLES = 16;
  private static final int FIRST_TABLES = 4;
  private static final double SECOND = 1e9;

  private Damping damping = Damping.STANDARD;
  private boolean begun;
  private long lastNanos;
  private long lastFlushed;
  private double balance;

  /** Updates the balance and returns whether a requested merge may start. */
  synchronized boolean open(long nowNanos, long flushedBytes, long tableBytes) {
    if (!begun) {
      begun = true;
      balance = (double) FIRST_TABLES * tableBytes;
    } else {
      balance += damping.shareOfFlushes * Math.max(0, flushedBytes - lastFlushed);
      balance += damping.bytesPerSecond * ((nowNanos - lastNanos) / SECOND);
      balance = Math.min(balance, (double) MAX_TABLES * tableBytes);
    }
    lastNanos = nowNanos;
    lastFlushed = flushedBytes;
    return balance > 0;
  }

  /** Subtracts a requested merge that has started. */
  synchronized void spend(long bytes) {
    balance -= bytes;
  }

  synchronized Damping damping() {
    return damping;
  }

  synchronized void damping(Damping other) {
    damping = other;
  }
}
