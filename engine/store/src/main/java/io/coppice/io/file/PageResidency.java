// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Bitmap of the pages of a file that are probably in memory, one bit per 4 KiB. It can be wrong in
 * both directions, because the system does not report dropped pages. A read from the device sets
 * the bits of its pages. A slow read of pages believed to be in memory clears the bits around it.
 * {@link PageResidencyTracker} periodically clears half of all bits. Safe to share between threads;
 * a lost update is harmless.
 *
 * <p>A read may also be slow because its thread lost the processor, so the first one clears only
 * 256 KiB. While reads of the file stay slow, each clears twice as much as the one before, until
 * many in a row were fast. A file that was dropped as a whole is therefore cleared after a few
 * reads.
 */
public final class PageResidency {

  private static final int PAGE_SHIFT = 12;
  private static final int WORD_SHIFT = PAGE_SHIFT + 6;
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  private final PageResidencyTracker watch;
  private final long[] words;

  private int decays;

  /**
   * Value of {@link PageResidencyTracker#suspicions} at the last clearing; {@code forgotten} is the
   * number of words cleared then.
   */
  private int suspicion;

  private int forgotten;

  PageResidency(long fileBytes, boolean resident, PageResidencyTracker watch) {
    this.watch = watch;
    this.words = new long[(int) ((fileBytes >>> WORD_SHIFT) + 1)];
    this.decays = watch.decays();
    if (resident) {
      Arrays.fill(words, -1);
    }
  }

  /** Returns whether all pages of a range are probably in memory. */
  boolean isLikelyCached(long offset, int length) {
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

  /** Records that a read from the device has just loaded the pages of a range of bytes. */
  public void markCached(long offset, int length) {
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
   * Returns whether to time a read of pages believed to be in memory. A hash of the offset selects
   * a sample, so threads share no counter.
   */
  boolean times(long offset) {
    long mixed = (offset >>> PAGE_SHIFT) * 0x9E3779B97F4A7C15L >>> 32;
    return (mixed & watch.timedMask()) == 0;
  }

  /** Returns whether mappings may be read now, because they are not suspended. */
  boolean mappingsServe() {
    return !watch.suspended();
  }

  /**
   * Records the duration of a read of pages believed to be in memory.
   *
   * @param mapped whether it was a copy out of a mapping
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

  /** Clears all bits, so that all pages count as outside memory. */
  void forget() {
    forget(0, words.length);
  }

  private void forget(int from, int to) {
    for (int i = from; i < Math.min(to, words.length); i++) {
      WORDS.setOpaque(words, i, 0L);
    }
  }

  /** Clears the bits of every other range of 256 KiB, alternating between even and odd ones. */
  private void decay() {
    int now = watch.decays();
    for (int i = now & 1; i < words.length; i += 2) {
      WORDS.setOpaque(words, i, 0L);
    }
    decays = now;
  }
}
