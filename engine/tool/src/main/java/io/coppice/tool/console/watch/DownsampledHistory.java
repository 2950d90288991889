// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Samples of one day, coarser with age: all of the last ten minutes, one per ten seconds up to two
 * hours, then one per minute. Not thread-safe; the lock of its {@link History} guards it.
 */
public final class DownsampledHistory<T> {

  /** Largest age of a sample, in milliseconds. */
  public static final long KEPT_MILLIS = 24 * 3_600_000L;

  private static final long CLOSE_MILLIS = 600_000;
  private static final long NEAR_MILLIS = 2 * 3_600_000L;
  private static final long NEAR_STEP_MILLIS = 10_000;
  private static final long FAR_STEP_MILLIS = 60_000;

  /** Additions between two thinnings, because thinning visits all samples. */
  private static final int THIN_EVERY = 60;

  /** Sample with its time in milliseconds since 1970. */
  public record Seen<T>(long atMillis, T what) {}

  private List<Seen<T>> seen = new ArrayList<>();
  private int added;

  /** Adds a sample that must be newer than all others. */
  void add(long atMillis, T what) {
    seen.add(new Seen<>(atMillis, what));
    if (++added % THIN_EVERY == 0) {
      thin(atMillis, 1);
    }
  }

  /**
   * Deletes samples older than a day, and those that are closer to the sample before them than the
   * interval of their age.
   *
   * @param times factor of the intervals beyond ten minutes, at least 1
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

  /** Deletes the samples up to a time, inclusive. */
  void dropUntil(long millis) {
    seen.removeIf(one -> one.atMillis <= millis);
  }

  /** Returns all samples, oldest first. */
  List<Seen<T>> all() {
    return List.copyOf(seen);
  }

  /** Returns the last sample at or before a time, else the first sample; empty if there is none. */
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
