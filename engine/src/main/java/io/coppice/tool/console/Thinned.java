// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What was seen over a day: all of the last ten minutes, then one in ten seconds for two hours,
 * then one a minute. Guarded by its history.
 */
final class Thinned<T> {

  /** How long anything is kept. */
  static final long KEPT_MILLIS = 24 * 3_600_000L;

  private static final long CLOSE_MILLIS = 600_000;
  private static final long NEAR_MILLIS = 2 * 3_600_000L;
  private static final long NEAR_STEP_MILLIS = 10_000;
  private static final long FAR_STEP_MILLIS = 60_000;

  /** Thinning looks at everything, so it is not done for each. */
  private static final int THIN_EVERY = 60;

  /** Something, and when it was seen. */
  record Seen<T>(long atMillis, T what) {}

  private List<Seen<T>> seen = new ArrayList<>();
  private int added;

  /** Adds what is newer than all before. */
  void add(long atMillis, T what) {
    seen.add(new Seen<>(atMillis, what));
    if (++added % THIN_EVERY == 0) {
      thin(atMillis, 1);
    }
  }

  /** Keeps so many times fewer of what is not close, and nothing that is a day old. */
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

  /** Whether even the last thing seen is a day old. */
  boolean isOver(long nowMillis) {
    return seen.isEmpty() || nowMillis - seen.get(seen.size() - 1).atMillis > KEPT_MILLIS;
  }

  /** Drops what was seen at that time or before. */
  void dropUntil(long millis) {
    seen.removeIf(one -> one.atMillis <= millis);
  }

  /** All that is kept, oldest first. */
  List<Seen<T>> all() {
    return List.copyOf(seen);
  }

  /** The last that was seen at that time or before, or else the first. */
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
