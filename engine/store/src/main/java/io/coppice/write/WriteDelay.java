// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.WritePressure;

/**
 * Delay of writers per byte, which lets flushes and merges keep up without long stops. Used by the
 * leader of the queue, except {@link #nanosPerByte()}.
 *
 * <p>The input is the {@linkplain WritePressure write pressure}. Up to {@link WritePressure#FREE}
 * writes are free; from there to 1 the allowed rate falls exponentially from {@link #FASTEST} to
 * {@link #SLOWEST}. The rate that merges sustain is in between, so the pressure settles where
 * writers have exactly that rate, well before 1.
 *
 * <pre>
 *  ns/byte
 *  16384 |                        *
 *        |                     *       FASTEST * (SLOWEST / FASTEST)^share
 *        |                 *           share = (pressure - FREE) / (1 - FREE)
 *      4 |         *
 *      0 |*********
 *        +--------+---------------+
 *        0       FREE             1   pressure
 * </pre>
 *
 * <p>Bytes take their time from one timeline that all writers share, as in a leaky bucket: {@code
 * freeAtNanos} is the moment when all booked bytes are paid. A writer slower than the timeline is
 * not delayed. Waits below {@link #MIN_WAIT_NANOS} accumulate until they are long enough for the
 * system to be precise. A wait above {@link #MAX_WAIT_NANOS} is cut, and later writers pay the
 * rest.
 */
final class WriteDelay {

  /** Nanoseconds per byte at the end of the free range: 256 MB/s. */
  static final double FASTEST = 4;

  /** Nanoseconds per byte at a pressure of 1: 61 kB/s. */
  static final double SLOWEST = 4 * 4096;

  /** Shortest wait in nanoseconds that the system can keep with some precision. */
  static final long MIN_WAIT_NANOS = 1_000_000;

  /** Longest wait of one group in nanoseconds; later groups wait for the rest. */
  static final long MAX_WAIT_NANOS = 50_000_000;

  /**
   * Longest wait in nanoseconds that one group can leave to later ones; what exceeds it is waived.
   */
  static final long MAX_CARRIED_NANOS = 1_000_000_000;

  private long freeAtNanos;
  private boolean started;
  private volatile double nanosPerByte;

  /** Returns the delay of a byte at a pressure, in nanoseconds. */
  static double nanosPerByte(double pressure) {
    double share = (Math.min(pressure, 1) - WritePressure.FREE) / (1 - WritePressure.FREE);
    return share <= 0 ? 0 : FASTEST * Math.pow(SLOWEST / FASTEST, share);
  }

  /**
   * Returns the pressure from memtables that wait for flush while writers fill the last free one.
   *
   * @param fill share of the last free memtable in use, from 0 to 1
   */
  static double ofLastMemtable(double fill) {
    return WritePressure.FREE + (1 - WritePressure.FREE) * fill;
  }

  /** Returns the present delay in nanoseconds per byte. */
  double nanosPerByte() {
    return nanosPerByte;
  }

  /**
   * Books the time of a group's bytes on the shared timeline.
   *
   * @param pressure the write pressure
   * @return the time in nanoseconds that the group must wait: 0, or {@link #MIN_WAIT_NANOS} to
   *     {@link #MAX_WAIT_NANOS}
   */
  long book(long nowNanos, long bytes, double pressure) {
    double price = nanosPerByte(pressure);
    nanosPerByte = price;
    if (!started || freeAtNanos - nowNanos < 0 || price == 0) {
      started = true;
      freeAtNanos = nowNanos;
    }
    long due = freeAtNanos - nowNanos + (long) Math.min(bytes * price, MAX_CARRIED_NANOS);
    freeAtNanos = nowNanos + Math.min(due, MAX_CARRIED_NANOS);
    return due < MIN_WAIT_NANOS ? 0 : Math.min(due, MAX_WAIT_NANOS);
  }
}
