// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.planning;

import java.util.List;

/**
 * Cost of questions, in milliseconds of processor time of the asking thread.
 *
 * @param asks questions per event
 * @param estimateMillis of one event, for the estimates of remaining tasks
 * @param nextMillis of one event, for the questions for the next task
 * @param maxMillis of one question with its estimate
 */
record Cost(double asks, double estimateMillis, double nextMillis, double maxMillis) {

  private static final double NANOS_PER_MILLI = 1e6;

  /**
   * Returns the mean cost of several events. The largest single cost is the largest of all events.
   */
  static Cost of(List<long[]> spent) {
    double[] sums = new double[3];
    long most = 0;
    for (long[] event : spent) {
      for (int i = 0; i < sums.length; i++) {
        sums[i] += event[i];
      }
      most = Math.max(most, event[3]);
    }
    int events = spent.size();
    return new Cost(
        sums[0] / events,
        sums[1] / events / NANOS_PER_MILLI,
        sums[2] / events / NANOS_PER_MILLI,
        most / NANOS_PER_MILLI);
  }

  /** Returns the milliseconds per event. */
  double millis() {
    return estimateMillis + nextMillis;
  }

  /**
   * Returns the share of a core for a flush at this interval in seconds and a poll every minute.
   */
  static double share(Cost flush, Cost poll, double seconds) {
    return flush.millis() / 1e3 / seconds + poll.millis() / 1e3 / 60;
  }

  /** Returns the seconds between flushes at the given share; infinite if polls alone need more. */
  static double secondsAt(double share, Cost flush, Cost poll) {
    double left = share - poll.millis() / 1e3 / 60;
    return left <= 0 ? Double.POSITIVE_INFINITY : flush.millis() / 1e3 / left;
  }
}
