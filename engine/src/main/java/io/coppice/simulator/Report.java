// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import java.util.List;

/**
 * What a simulation found. Amplifications are plain ratios; the log is left out and filters are
 * ignored unless a name says otherwise.
 *
 * @param policy the policy's text
 * @param fidelity how closely it looked
 * @param userBytes bytes the user wrote
 * @param flushedBytes bytes that flushes wrote
 * @param flushes how many
 * @param wa write amplification: bytes flushed and merged, over bytes the user wrote
 * @param raMean runs (in a virtual segment: slices) whose range covers a key, mean over keys and
 *     over the second half of the load
 * @param raMax the same, the most ever seen
 * @param raFilteredMean tables read for a lookup that finds its key, filters asked first
 * @param saSteady bytes on disk over live bytes, mean over the second half of the load, between
 *     plans
 * @param saPeak the most ever, outputs of running merges included, once half of the load is done
 * @param transientPeak the most by which a plan ever filled the disk beyond what lay there before
 *     and after it, over the live bytes at the end
 * @param lackedBytes transient bytes without which nothing that was wanted at the end could start,
 *     where the limit forbade them; 0 if nothing waited for space
 * @param causes what was done and why, the most bytes written first
 * @param samples the course of it, evenly spaced, at most some hundred
 */
public record Report(
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
   * Plans of one kind for one reason.
   *
   * @param kind {@code merge}, {@code move}, {@code delay} or {@code drop}
   * @param code the reason's code
   * @param plans how many
   * @param readBytes bytes merges read
   * @param writtenBytes bytes merges wrote
   * @param movedBytes bytes that moves and delays carried without touching them
   */
  public record Cause(
      String kind, String code, long plans, long readBytes, long writtenBytes, long movedBytes) {

    /** Both together; kind and code are this one's. */
    Cause plus(Cause other) {
      return new Cause(
          kind,
          code,
          plans + other.plans,
          sum(readBytes, other.readBytes),
          sum(writtenBytes, other.writtenBytes),
          sum(movedBytes, other.movedBytes));
    }

    /** So many times as many plans, and bytes. */
    Cause times(double ofPlans, double ofBytes) {
      return new Cause(
          kind,
          code,
          Math.round(plans * ofPlans),
          Math.round(readBytes * ofBytes),
          Math.round(writtenBytes * ofBytes),
          Math.round(movedBytes * ofBytes));
    }

    /** A petabyte written a few thousand times is more than a long can say. */
    private static long sum(long a, long b) {
      return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
    }
  }

  /**
   * The store after some of the load.
   *
   * @param userBytes bytes the user has written so far
   * @param liveBytes bytes of distinct keys so far
   * @param diskBytes bytes on disk
   * @param writtenBytes bytes flushed and merged so far
   * @param runs runs that hold something
   */
  public record Sample(
      long userBytes, long liveBytes, long diskBytes, long writtenBytes, int runs) {}

  /** Copies the lists. */
  public Report {
    causes = List.copyOf(causes);
    samples = List.copyOf(samples);
  }
}
