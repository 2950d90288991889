// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import io.coppice.tool.console.watch.DownsampledHistory;
import io.coppice.tool.console.watch.LiveTable;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A backlog that has grown for ten minutes since a change that is still active. The console warns
 * of it, because the change may be reverted. Immutable.
 *
 * @param change the change before the growth
 * @param fromBytes the backlog ten minutes ago, in bytes of merge input
 * @param toBytes the backlog now, in bytes of merge input
 */
record BacklogWarning(Change change, long fromBytes, long toBytes) {

  private static final long WINDOW_MILLIS = TimeUnit.MINUTES.toMillis(10);
  private static final int STEPS = 4;

  /** Age of a change, in milliseconds, after which growth more likely has another cause. */
  private static final long BLAMED_MILLIS = TimeUnit.HOURS.toMillis(2);

  /**
   * Returns the warning about the last change, if the backlog grew in each quarter of the last ten
   * minutes. The change must be ten minutes to two hours old, and its policy still active.
   *
   * @param seen the metrics of one table, oldest first
   * @param changes changes of that table on that node, in any order
   * @param inForce the active policy of the table as text
   */
  static Optional<BacklogWarning> of(
      List<DownsampledHistory.Seen<LiveTable.Figures>> seen,
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

  private static Optional<BacklogWarning> grown(
      List<DownsampledHistory.Seen<LiveTable.Figures>> seen, Change change, long nowMillis) {
    long first = -1;
    long last = -1;
    for (int step = 0; step <= STEPS; step++) {
      long backlog = backlog(seen, nowMillis - WINDOW_MILLIS + step * WINDOW_MILLIS / STEPS);
      if (backlog < 0 || step > 0 && backlog <= last) {
        return Optional.empty();
      }
      first = step == 0 ? backlog : first;
      last = backlog;
    }
    return Optional.of(new BacklogWarning(change, first, last));
  }

  /** Returns the backlog at a time, in bytes; -1 if it was not observed or is unknown. */
  private static long backlog(List<DownsampledHistory.Seen<LiveTable.Figures>> seen, long millis) {
    long backlog = -1;
    for (DownsampledHistory.Seen<LiveTable.Figures> one : seen) {
      if (one.atMillis() > millis) {
        break;
      }
      backlog = one.what().backlogBytes();
    }
    return backlog;
  }
}
