// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Which pages of a file are believed to be in memory: one bit for 4 KiB. A guess in both
 * directions, as the system tells nobody when it drops a page: bits are set when a read brought
 * pages in, those of a stretch are forgotten when reads of pages believed to be there were slow,
 * and half of all whenever the {@link ResidencyWatch} says so. Any thread may use it; an update
 * lost to another one does no harm.
 *
 * <p>A read may be slow because its thread lost the processor, so little is forgotten at first: 256
 * KiB around it. If reads of the file go on to be slow before many in a row were fast, each makes
 * twice as much forgotten as the one before, so that a file that was dropped as a whole is
 * forgotten after a few.
 */
final class Residency {

  private static final int PAGE_SHIFT = 12;
  private static final int WORD_SHIFT = PAGE_SHIFT + 6;
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  private final ResidencyWatch watch;
  private final long[] words;

  private int decays;

  /** The suspicion in which something was last forgotten, and how many words that were. */
  private int suspicion;

  private int forgotten;

  Residency(long fileBytes, boolean resident, ResidencyWatch watch) {
    this.watch = watch;
    this.words = new long[(int) ((fileBytes >>> WORD_SHIFT) + 1)];
    this.decays = watch.decays();
    if (resident) {
      Arrays.fill(words, -1);
    }
  }

  /** True if all pages of a part of the file are believed to be in memory. */
  boolean has(long offset, int length) {
    if (decays != watch.decays()) {
      decay();
    }
    if (length == 0) {
      return true;
    }
    long last = (offset + length - 1) >>> PAGE_SHIFT;
    for (long page = offset >>> PAGE_SHIFT; page <= last; page++) {
      int word = (int) (page >>> 6);
      if (word >= words.length || ((long) WORDS.getOpaque(words, word) >>> page & 1) == 0) {
        return false;
      }
    }
    return true;
  }

  /** Notes that a read from the device has just brought these pages in. */
  void broughtIn(long offset, int length) {
    watch.broughtIn();
    if (length == 0) {
      return;
    }
    long last = (offset + length - 1) >>> PAGE_SHIFT;
    for (long page = offset >>> PAGE_SHIFT; page <= last; page++) {
      int word = (int) (page >>> 6);
      long bits = word < words.length ? (long) WORDS.getOpaque(words, word) : -1;
      if ((bits >>> page & 1) == 0) {
        WORDS.setOpaque(words, word, bits | 1L << page);
      }
    }
  }

  /**
   * True if a read of pages believed to be in memory is to be timed: by where it begins, so that
   * nothing is counted, which threads would have to share.
   */
  boolean times(long offset) {
    long mixed = (offset >>> PAGE_SHIFT) * 0x9E3779B97F4A7C15L >>> 32;
    return (mixed & watch.timedMask()) == 0;
  }

  /** Returns whether mappings may be read. */
  boolean mappingsServe() {
    return !watch.suspended();
  }

  /**
   * Notes how long a read took whose pages were believed to be in memory.
   *
   * @param mapped if it was a copy out of a mapping
   */
  void took(long offset, int length, long nanos, boolean mapped) {
    if (watch.slow(length, nanos, mapped)) {
      int present = watch.suspicions();
      forgotten = suspicion == present ? Math.min(2 * forgotten, 2 * words.length) : 1;
      suspicion = present;
      int middle = (int) (offset >>> WORD_SHIFT);
      forget(Math.max(0, middle - forgotten / 2), middle + (forgotten + 1) / 2);
    }
  }

  /** Believes of no page any more that it is in memory. */
  void forget() {
    forget(0, words.length);
  }

  private void forget(int from, int to) {
    for (int i = from; i < Math.min(to, words.length); i++) {
      WORDS.setOpaque(words, i, 0L);
    }
  }

  /** Forgets every other stretch of 256 KiB, those of even and of odd number by turns. */
  private void decay() {
    int now = watch.decays();
    for (int i = now & 1; i < words.length; i += 2) {
      WORDS.setOpaque(words, i, 0L);
    }
    decays = now;
  }
}
