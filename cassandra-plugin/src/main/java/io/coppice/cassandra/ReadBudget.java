// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

/**
 * How much of a table's writing may be spent on merges that reads ask for (dCompaction, section
 * 3.3, has no such bound; undamped, reads took back a seventh of what delaying had saved). A
 * balance in bytes: a share of what is flushed and a steady trickle come in, each merge that reads
 * asked for goes out. While it is above zero such a merge may start, whatever its size, so that
 * none is too large for ever. Thread-safe.
 */
final class ReadBudget {

  /**
   * How reluctantly reads are obeyed.
   *
   * @param leastHits how often reads must have met SSTables of a group before it is merged, counted
   *     over all of them together
   * @param bytesAHit they must have done so more often for a large group: once for so many bytes
   * @param coolDownNanos for so long after such a merge no other one touches its keys in its level,
   *     unless as much has been flushed meanwhile as it merged
   * @param shareOfFlushes of the bytes flushed, what such merges may take
   * @param bytesASecond what they may take besides, so that a table that is only read gets there
   *     too
   */
  record Damping(
      int leastHits, long bytesAHit, long coolDownNanos, double shareOfFlushes, long bytesASecond) {

    /** A read that meets one SSTable too many reads some 64 KiB too much. */
    static final Damping STANDARD = new Damping(32, 64 << 10, 60_000_000_000L, 0.25, 4 << 20);

    /**
     * Reads that must have met one SSTable of a group: its share of those that must have met any.
     *
     * @param sstables in the group
     */
    long hitsOfEach(long groupBytes, int sstables) {
      long hits = Math.max(leastHits, groupBytes / Math.max(1, bytesAHit));
      return (hits + sstables - 1) / sstables;
    }
  }

  // Enough for a few merges at once after a quiet time, and for the first ones at the start.
  private static final int MOST_TABLES = 16;
  private static final int FIRST_TABLES = 4;
  private static final double SECOND = 1e9;

  private Damping damping = Damping.STANDARD;
  private boolean begun;
  private long lastNanos;
  private long lastFlushed;
  private double balance;

  /** True if a merge that reads asked for may start. */
  synchronized boolean open(long nowNanos, long flushedBytes, long tableBytes) {
    if (!begun) {
      begun = true;
      balance = (double) FIRST_TABLES * tableBytes;
    } else {
      balance += damping.shareOfFlushes * Math.max(0, flushedBytes - lastFlushed);
      balance += damping.bytesASecond * ((nowNanos - lastNanos) / SECOND);
      balance = Math.min(balance, (double) MOST_TABLES * tableBytes);
    }
    lastNanos = nowNanos;
    lastFlushed = flushedBytes;
    return balance > 0;
  }

  /** Such a merge has started. */
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
