// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import java.util.List;

/**
 * Cost of requests for work, in milliseconds of processor time of the thread that asks. An event is
 * a flush or a periodic poll.
 *
 * @param asks mean number of requests per event
 * @param estimateMillis mean cost per event of the estimates of remaining tasks
 * @param nextMillis mean cost per event of the requests for the next task
 * @param maxMillis largest cost of one request with its estimate
 */
record Cost(double asks, double estimateMillis, double nextMillis, double maxMillis) {

  private static final double NANOS_PER_MILLI = 1e6;

  /**
   * Returns the cost of several events.
   *
   * @param spent results of {@link io.coppice.bench.node.PlanningMeterMXBean#flush}, one per event
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

  /** Returns the mean cost per event in milliseconds. */
  double millis() {
    return estimateMillis + nextMillis;
  }

  /**
   * Returns the share of a core that requests for work take, from 0 to 1 or above.
   *
   * @param flush cost of the requests after a flush
   * @param poll cost of the requests of a poll, once per minute
   * @param seconds seconds between two flushes
   */
  static double share(Cost flush, Cost poll, double seconds) {
    return flush.millis() / 1e3 / seconds + poll.millis() / 1e3 / 60;
  }

  /**
   * Returns the seconds between flushes with which requests for work take a share of a core;
   * infinite if polls alone take more.
   */
  static double secondsAt(double share, Cost flush, Cost poll) {
    double left = share - poll.millis() / 1e3 / 60;
    return left <= 0 ? Double.POSITIVE_INFINITY : flush.millis() / 1e3 / left;
  }
}
