// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/**
 * What a table cost in the first hour after a change, or until the next one: to stand beside what
 * was forecast. A value.
 *
 * @param writeAmplification not a number if nothing was flushed
 * @param seconds what it was measured over
 * @param over false while more is to come
 */
record Measured(double writeAmplification, double seconds, boolean over) {

  private static final long HOUR_MILLIS = TimeUnit.HOURS.toMillis(1);

  /** A console that did not look within so long of the change does not know its first hour. */
  private static final long LATE_MILLIS = TimeUnit.MINUTES.toMillis(1);

  /**
   * Measures.
   *
   * @param seen the figures of the table, oldest first
   * @param changes of that table on that node, in any order
   * @param policies that were seen in force there; another than the change's ends it, whoever put
   *     it in force
   * @return empty if nobody had looked about when the change was made, or since
   */
  static Optional<Measured> of(
      List<Thinned.Seen<LiveTable.Figures>> seen,
      Change change,
      List<Change> changes,
      List<Thinned.Seen<String>> policies) {
    long end =
        LongStream.concat(
                changes.stream()
                    .filter(one -> !one.what().equals("stop"))
                    .mapToLong(Change::atMillis),
                policies.stream()
                    .filter(one -> !one.what().equals(change.after()))
                    .mapToLong(Thinned.Seen::atMillis))
            .filter(at -> at > change.atMillis())
            .reduce(change.atMillis() + HOUR_MILLIS, Math::min);
    Thinned.Seen<LiveTable.Figures> first = null;
    Thinned.Seen<LiveTable.Figures> last = null;
    boolean over = false;
    for (Thinned.Seen<LiveTable.Figures> one : seen) {
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
    return Optional.of(new Measured(rates.writeAmplification(), rates.seconds(), over));
  }

  /** Counters begin anew with the process, and with it the change is gone. */
  private static boolean isAnew(
      Thinned.Seen<LiveTable.Figures> before, Thinned.Seen<LiveTable.Figures> after) {
    return after.what().flushedBytes() < before.what().flushedBytes();
  }
}
