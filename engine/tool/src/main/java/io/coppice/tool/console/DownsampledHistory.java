// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Samples of one day, coarser with age: all of the last ten minutes, one per ten seconds up to two
 * hours, then one per minute. Guarded by its history.
 */
final class DownsampledHistory<T> {

  /** Maximum age of a sample. */
  static final long KEPT_MILLIS = 24 * 3_600_000L;

  private static final long CLOSE_MILLIS = 600_000;
  private static final long NEAR_MILLIS = 2 * 3_600_000L;
  private static final long NEAR_STEP_MILLIS = 10_000;
  private static final long FAR_STEP_MILLIS = 60_000;

  /** Thinning visits all samples, so it runs once per 60 additions. */
  private static final int THIN_EVERY = 60;

  /** A sample and its time. */
  record Seen<T>(long atMillis, T what) {}

  private List<Seen<T>> seen = new ArrayList<>();
  private int added;

  /** Adds a sample that is newer than all others. */
  void add(long atMillis, T what) {
    seen.add(new Seen<>(atMillis, what));
    if (++added % THIN_EVERY == 0) {
      thin(atMillis, 1);
    }
  }

  /**
   * Applies the steps of age, {@code times} times coarser beyond ten minutes, and deletes samples
   * older than a day.
   */
  void thin(long nowMillis, int times) {
    List<Seen<T>> kept = new ArrayList<>();
    long last = Long.MIN_VALUE / 2;
    for (Seen<T> one : seen) {
      long age = nowMillis - one.atMillis;
      long step = age < CLOSE_MILLIS ? 0 : age < NEAR_MILLIS ? NEAR_STEP_MILLIS : FAR_STEP_MILLIS;
      if (age <= KEPT_MILLIS && one.atMillis - last >= step * times) {
        kept.add(one);
        last = one.atMillis;
      }
    }
    seen = kept;
  }

  /** Returns whether all samples are older than a day. */
  boolean isOver(long nowMillis) {
    return seen.isEmpty() || nowMillis - seen.get(seen.size() - 1).atMillis > KEPT_MILLIS;
  }

  /** Deletes the samples up to that time, inclusive. */
  void dropUntil(long millis) {
    seen.removeIf(one -> one.atMillis <= millis);
  }

  /** Returns all samples, oldest first. */
  List<Seen<T>> all() {
    return List.copyOf(seen);
  }

  /** Returns the last sample at or before that time, else the first sample. */
  Optional<Seen<T>> at(long millis) {
    Seen<T> found = seen.isEmpty() ? null : seen.get(0);
    for (Seen<T> one : seen) {
      if (one.atMillis > millis) {
        break;
      }
      found = one;
    }
    return Optional.ofNullable(found);
  }
}
