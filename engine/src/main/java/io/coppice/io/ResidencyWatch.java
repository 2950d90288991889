// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.util.concurrent.TimeUnit;

/**
 * What the {@link Residency} of all files of a disk have in common: how many reads are timed, and
 * when half of what is believed is to be forgotten. Usually one page in sixteen has its reads
 * timed; after a slow one each has, until many in a row were fast. Its fields are written without
 * order: a lost update is harmless.
 */
final class ResidencyWatch {

  /** A power of two. */
  private static final int USUALLY_ONE_IN = 16;

  /** Reads from the device take longer, copies out of memory do not, but for a lost time slice. */
  private static final long SLOW_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

  /** So many fast ones in a row end the suspicion that a slow one raised. */
  private static final int TRUSTED_AFTER = 64;

  private static final long DECAY_NANOS = TimeUnit.MINUTES.toNanos(3);

  /** Reads from the device between two looks at the clock, a power of two. */
  private static final int READS_PER_LOOK = 1024;

  private int timedMask = USUALLY_ONE_IN - 1;
  private int fastInARow;
  private int suspicions;
  private int broughtIn;
  private long decayedAt = System.nanoTime();
  private volatile int decays;
  private volatile long slow;

  /** Of a number drawn for a read; those that give 0 are timed. */
  int timedMask() {
    return timedMask;
  }

  /** How often half of the bits were to go. */
  int decays() {
    return decays;
  }

  /** Reads so far that were slow although their pages were believed to be in memory. */
  long slowReads() {
    return slow;
  }

  /**
   * Judges a read that was timed; a nanosecond for each byte is granted. One slow read may have
   * lost its time slice, so only the second one of two that are near each other tells.
   */
  boolean slow(int length, long nanos) {
    if (nanos > SLOW_NANOS + length) {
      boolean suspected = timedMask == 0;
      slow++;
      timedMask = 0;
      fastInARow = 0;
      if (!suspected) {
        suspicions++;
      }
      return suspected;
    }
    if (timedMask == 0 && ++fastInARow >= TRUSTED_AFTER) {
      timedMask = USUALLY_ONE_IN - 1;
    }
    return false;
  }

  /** How often a read was slow while there was no suspicion. */
  int suspicions() {
    return suspicions;
  }

  /** Counts a read from the device: only while there are some can what is believed be wrong. */
  void broughtIn() {
    if ((++broughtIn & READS_PER_LOOK - 1) == 0) {
      long now = System.nanoTime();
      if (now - decayedAt > DECAY_NANOS) {
        decayedAt = now;
        decay();
      }
    }
  }

  /** Lets half of all that is believed go. */
  void decay() {
    decays++;
  }
}
