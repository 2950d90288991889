// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Work that has piled up for ten minutes since a change which is still in force: what the console
 * warns of, as the change may be taken back. A value.
 *
 * @param change after which it grew
 * @param fromBytes of merges still wanted, ten minutes ago
 * @param toBytes of those wanted now
 */
record Growth(Change change, long fromBytes, long toBytes) {

  private static final long WINDOW_MILLIS = TimeUnit.MINUTES.toMillis(10);
  private static final int STEPS = 4;

  /** Later, something else is more likely to be the cause. */
  private static final long BLAMED_MILLIS = TimeUnit.HOURS.toMillis(2);

  /**
   * Looks for it.
   *
   * @param seen the figures of one table, oldest first
   * @param changes of that table on that node, in any order
   * @param inForce its policy now
   */
  static Optional<Growth> of(
      List<Thinned.Seen<LiveTable.Figures>> seen,
      List<Change> changes,
      String inForce,
      long nowMillis) {
    return changes.stream()
        .filter(one -> !one.what().equals("stop"))
        .reduce((one, other) -> one.atMillis() > other.atMillis() ? one : other)
        .filter(last -> last.after().equals(inForce))
        .filter(
            last ->
                nowMillis - last.atMillis() >= WINDOW_MILLIS
                    && nowMillis - last.atMillis() <= BLAMED_MILLIS)
        .flatMap(last -> grown(seen, last, nowMillis));
  }

  private static Optional<Growth> grown(
      List<Thinned.Seen<LiveTable.Figures>> seen, Change change, long nowMillis) {
    long first = -1;
    long last = -1;
    for (int step = 0; step <= STEPS; step++) {
      long debt = debt(seen, nowMillis - WINDOW_MILLIS + step * WINDOW_MILLIS / STEPS);
      if (debt < 0 || step > 0 && debt <= last) {
        return Optional.empty();
      }
      first = step == 0 ? debt : first;
      last = debt;
    }
    return Optional.of(new Growth(change, first, last));
  }

  /** What was wanted then; -1 if nobody had looked, or it is not told. */
  private static long debt(List<Thinned.Seen<LiveTable.Figures>> seen, long millis) {
    long debt = -1;
    for (Thinned.Seen<LiveTable.Figures> one : seen) {
      if (one.atMillis() > millis) {
        break;
      }
      debt = one.what().debtBytes();
    }
    return debt;
  }
}
