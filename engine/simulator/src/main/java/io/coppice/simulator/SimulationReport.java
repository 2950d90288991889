// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import java.util.List;

/**
 * Results of a simulation. Amplifications are plain ratios; the log is left out, and filters are
 * ignored unless a name says otherwise.
 *
 * @param policy the policy's text
 * @param fidelity level of detail
 * @param userBytes bytes of the entries written by the user, counting overwrites
 * @param flushedBytes bytes of tables written by flushes
 * @param flushes number of flushes
 * @param wa write amplification: bytes flushed and merged, divided by bytes written by the user
 * @param raMean runs (in a virtual segment: slices) whose range covers a key, mean over keys and
 *     over the second half of the load
 * @param raMax largest number of runs that cover a key, over the whole load
 * @param raFilteredMean tables read by a lookup that finds its key, with filters
 * @param saSteady bytes on disk divided by live bytes, mean over the second half of the load,
 *     between plans
 * @param saPeak largest such ratio in the second half of the load, including outputs of running
 *     merges
 * @param transientPeak largest growth of the disk by a plan beyond its content before and after the
 *     plan, divided by the live bytes at the end
 * @param lackedBytes transient bytes that a plan wanted at the end needs to start, if every such
 *     plan exceeds the limit; otherwise 0
 * @param causes work by kind and reason, most bytes written first
 * @param samples history, oldest first, evenly spaced over the load, about 200 at most
 */
public record SimulationReport(
    String policy,
    Fidelity fidelity,
    long userBytes,
    long flushedBytes,
    long flushes,
    double wa,
    double raMean,
    double raMax,
    double raFilteredMean,
    double saSteady,
    double saPeak,
    double transientPeak,
    long lackedBytes,
    List<Cause> causes,
    List<Sample> samples) {

  /**
   * Plans of one kind and reason.
   *
   * @param kind {@code merge}, {@code move}, {@code delay} or {@code drop}
   * @param code the reason's code
   * @param plans number of plans
   * @param readBytes bytes read by merges
   * @param writtenBytes bytes written by merges
   * @param movedBytes bytes moved by moves and delays without reading them
   */
  public record Cause(
      String kind, String code, long plans, long readBytes, long writtenBytes, long movedBytes) {

    /** Returns the sum of this cause and another one, with the kind and code of this one. */
    Cause plus(Cause other) {
      return new Cause(
          kind,
          code,
          plans + other.plans,
          sum(readBytes, other.readBytes),
          sum(writtenBytes, other.writtenBytes),
          sum(movedBytes, other.movedBytes));
    }

    /**
     * Returns this cause with its counts multiplied by factors.
     *
     * @param ofPlans factor of the number of plans
     * @param ofBytes factor of all bytes
     */
    Cause times(double ofPlans, double ofBytes) {
      return new Cause(
          kind,
          code,
          Math.round(plans * ofPlans),
          Math.round(readBytes * ofBytes),
          Math.round(writtenBytes * ofBytes),
          Math.round(movedBytes * ofBytes));
    }

    /**
     * Returns the sum, at most {@link Long#MAX_VALUE}: a petabyte written a few thousand times
     * exceeds a long.
     */
    private static long sum(long a, long b) {
      return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }
  }

  /**
   * State of the store after a part of the load.
   *
   * @param userBytes bytes written by the user until then
   * @param liveBytes bytes of distinct keys that are not deleted, with their values
   * @param diskBytes bytes on disk
   * @param writtenBytes bytes flushed and merged until then
   * @param runs number of nonempty runs
   */
  public record Sample(
      long userBytes, long liveBytes, long diskBytes, long writtenBytes, int runs) {}

  /** Makes the lists immutable. */
  public SimulationReport {
    causes = List.copyOf(causes);
    samples = List.copyOf(samples);
  }
}
