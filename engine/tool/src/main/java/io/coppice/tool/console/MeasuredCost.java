// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import io.coppice.tool.console.watch.DownsampledHistory;
import io.coppice.tool.console.watch.LiveTable;
import io.coppice.tool.console.watch.Rates;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * The cost of a table in the first hour after a change, or until the next change, for comparison
 * with the forecast. Immutable.
 *
 * @param writeAmplification bytes flushed and merged per byte flushed; NaN if nothing was flushed
 * @param seconds the length of the measurement
 * @param over false while the measurement continues
 */
record MeasuredCost(double writeAmplification, double seconds, boolean over) {

  private static final long HOUR_MILLIS = TimeUnit.HOURS.toMillis(1);

  /**
   * Latest time of a console's first sample after a change, in milliseconds. A later one has missed
   * the first hour of that change.
   */
  private static final long LATE_MILLIS = TimeUnit.MINUTES.toMillis(1);

  /**
   * Measures the cost after a change.
   *
   * @param seen the metrics of the table, oldest first
   * @param changes changes of that table on that node, in any order
   * @param policies the policies that were seen active, in any order; one that differs from the
   *     change's ends the measurement, regardless of its origin
   * @return empty if no sample was taken near the time of the change or after it
   */
  static Optional<MeasuredCost> of(
      List<DownsampledHistory.Seen<LiveTable.Figures>> seen,
      Change change,
      List<Change> changes,
      List<DownsampledHistory.Seen<String>> policies) {
    long end =
        LongStream.concat(
                changes.stream()
                    .filter(one -> !one.what().equals("stop"))
                    .mapToLong(Change::atMillis),
                policies.stream()
                    .filter(one -> !one.what().equals(change.after()))
                    .mapToLong(DownsampledHistory.Seen::atMillis))
            .filter(at -> at > change.atMillis())
            .reduce(change.atMillis() + HOUR_MILLIS, Math::min);
    DownsampledHistory.Seen<LiveTable.Figures> first = null;
    DownsampledHistory.Seen<LiveTable.Figures> last = null;
    boolean over = false;
    for (DownsampledHistory.Seen<LiveTable.Figures> one : seen) {
      if (one.atMillis() < change.atMillis() - LATE_MILLIS) {
        continue;
      }
      if (first == null || one.atMillis() <= change.atMillis()) {
        first = one;
      } else if (one.atMillis() > end || isAnew(last == null ? first : last, one)) {
        over = true;
        break;
      } else {
        last = one;
      }
    }
    if (last == null || first.atMillis() > change.atMillis() + LATE_MILLIS) {
      return Optional.empty();
    }
    Rates rates = Rates.between(first, last);
    return Optional.of(new MeasuredCost(rates.writeAmplification(), rates.seconds(), over));
  }

  /**
   * Returns whether the process was restarted between two samples. Its counters then start again,
   * and the change is lost.
   */
  private static boolean isAnew(
      DownsampledHistory.Seen<LiveTable.Figures> before,
      DownsampledHistory.Seen<LiveTable.Figures> after) {
    return after.what().flushedBytes() < before.what().flushedBytes();
  }
}
