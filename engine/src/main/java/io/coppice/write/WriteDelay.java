// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.WriteDebt;

/**
 * How long writers are held back for each byte, so that flushes and merges keep up without anybody
 * ever being stopped for long. Used by the leader of the queue, but for {@link #nanosPerByte()}.
 *
 * <p>What is owed is the {@linkplain WriteDebt debt}. Up to {@link WriteDebt#FREE} writes are free;
 * from there to 1 the rate allowed falls evenly on a logarithmic scale from {@link #FASTEST} to
 * {@link #SLOWEST}. Whatever rate merges can keep up with lies in between, so the debt settles
 * where writers are exactly so fast, well before 1.
 *
 * <p>Each byte takes its time from one line that all writers share: a writer that is slower than
 * the line is not held back at all. Short waits are put together, long ones are left to later
 * writers.
 */
final class WriteDelay {

  /** Nanoseconds a byte at the end of what is free: 256 MB/s. */
  static final double FASTEST = 4;

  /** Nanoseconds a byte at a debt of 1: 61 kB/s. */
  static final double SLOWEST = 4 * 4096;

  /** The system cannot wait much shorter than this with any precision. */
  static final long LEAST_WAIT_NANOS = 1_000_000;

  /** The longest wait of one group; the rest is left to later ones. */
  static final long MOST_WAIT_NANOS = 50_000_000;

  /** So much is left to later ones at most. */
  static final long MOST_CARRIED_NANOS = 1_000_000_000;

  private long freeAtNanos;
  private boolean started;
  private volatile double nanosPerByte;

  /** The delay of a byte at a debt. */
  static double nanosPerByte(double debt) {
    double share = (Math.min(debt, 1) - WriteDebt.FREE) / (1 - WriteDebt.FREE);
    return share <= 0 ? 0 : FASTEST * Math.pow(SLOWEST / FASTEST, share);
  }

  /**
   * The debt of memtables that wait for flush, as soon as none is left to fill: from then on until
   * the last one is full.
   *
   * @param fill how full the last one is, from 0 to 1
   */
  static double ofLastMemtable(double fill) {
    return WriteDebt.FREE + (1 - WriteDebt.FREE) * fill;
  }

  /** The delay in force. */
  double nanosPerByte() {
    return nanosPerByte;
  }

  /**
   * Books so many bytes.
   *
   * @return how long their writer is to wait, 0 to {@link #MOST_WAIT_NANOS}
   */
  long book(long nowNanos, long bytes, double debt) {
    double price = nanosPerByte(debt);
    nanosPerByte = price;
    if (!started || freeAtNanos - nowNanos < 0 || price == 0) {
      started = true;
      freeAtNanos = nowNanos;
    }
    long due = freeAtNanos - nowNanos + (long) Math.min(bytes * price, MOST_CARRIED_NANOS);
    freeAtNanos = nowNanos + Math.min(due, MOST_CARRIED_NANOS);
    return due < LEAST_WAIT_NANOS ? 0 : Math.min(due, MOST_WAIT_NANOS);
  }
}
