// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.workload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Estimate of the remaining time of work in parts, from the shares of the parts over time. It
 * follows parts that become slower or faster, and it accounts for parts that run at once. Used by
 * one thread at a time.
 */
public final class RemainingTime {

  /** Largest exponent in the assumption that the time of a part grows as a power of its share. */
  private static final double MAX_POWER = 2;

  private static final double MIN_POWER = 0.6;

  /**
   * Part of a measured change of pace that the estimate assumes to go on; the rest is taken for
   * noise.
   */
  private static final double TRUST = 0.5;

  /** Number of shares of a part whose times are kept. */
  private static final int MARKS = 50;

  private static final double MIN_SHARE = 0.01;

  /**
   * Least share of a part that is judged by its own pace alone; before, the pace of the others
   * counts too.
   */
  private static final double SURE_SHARE = 0.3;

  private static final double NANOS_PER_SECOND = 1e9;

  private final double[] weights;
  private final int workers;
  private final Part[] parts;

  /** One part: its start and the time when it reached each mark. */
  private static final class Part {
    private long start = -1;
    private long changed = -1;
    private long last;
    private double share;
    private final long[] reached = new long[MARKS + 1];

    void note(long now, double done) {
      if (done <= share) {
        if (start < 0) {
          changed = now;
        }
        last = share < 1 ? now : last;
        return;
      }
      if (start < 0) {
        // The part started between this note and the one before.
        start = changed < 0 ? now : changed;
        changed = start;
      }
      for (int mark = (int) Math.floor(share * MARKS) + 1; mark <= done * MARKS; mark++) {
        double way = ((double) mark / MARKS - share) / (done - share);
        reached[mark] = changed + Math.round(way * (now - changed));
      }
      changed = now;
      last = now;
      share = done;
    }

    /** Returns the seconds from the part's start to its last note, or to its end. */
    double seconds() {
      return start < 0 ? 0 : (last - start) / NANOS_PER_SECOND;
    }

    /**
     * Returns the estimated seconds until the part is done; 0 before its start and after its end.
     */
    double remaining() {
      if (share <= 0 || share >= 1) {
        return 0;
      }
      double then = (changed - start) / NANOS_PER_SECOND;
      double rest = then * (Math.pow(share, -power()) - 1);
      return Math.max(rest - (last - changed) / NANOS_PER_SECOND, rest / 2);
    }

    /** Returns the exponent in the growth of the time with the share: 1 for steady work. */
    private double power() {
      int half = (int) Math.round(share * MARKS / 2);
      long then = reached[Math.max(0, Math.min(MARKS, half))];
      if (half < 2 || then <= start) {
        return 1;
      }
      double early = (then - start) / NANOS_PER_SECOND;
      double power =
          Math.log((changed - start) / NANOS_PER_SECOND / early) / Math.log(share * MARKS / half);
      return Math.max(MIN_POWER, Math.min(MAX_POWER, 1 + TRUST * (power - 1)));
    }
  }

  /**
   * Creates an estimate that knows no times yet.
   *
   * @param weights the expected amount of work of each part, relative to the others
   * @param workers how many parts run at once, at least 1; parts start in their order
   */
  public RemainingTime(double[] weights, int workers) {
    this.weights = weights.clone();
    this.workers = workers;
    this.parts = new Part[weights.length];
    Arrays.setAll(parts, i -> new Part());
  }

  /**
   * Records the share that each part has reached at a time.
   *
   * @param nanos the time of a monotonic clock in nanoseconds
   * @param shares the share of each part, from 0 to 1
   */
  public void note(long nanos, double[] shares) {
    for (int i = 0; i < parts.length; i++) {
      parts[i].note(nanos, Math.min(1, shares[i]));
    }
  }

  /** Returns the seconds until all parts are done; NaN while too little is known. */
  public double seconds() {
    double known = 0;
    double took = 0;
    double done = 0;
    for (int i = 0; i < parts.length; i++) {
      Part part = parts[i];
      done += weights[i] * part.share;
      // A part counts by its share, because the pace of a part that has hardly begun says little.
      known += weights[i] * part.share;
      took += part.share * (part.seconds() + part.remaining());
    }
    if (known == 0 || done < MIN_SHARE * Arrays.stream(weights).sum()) {
      return Double.NaN;
    }
    double pace = took / known;
    List<Double> running = new ArrayList<>();
    List<Double> waiting = new ArrayList<>();
    for (int i = 0; i < parts.length; i++) {
      Part part = parts[i];
      double expected = Math.max(0, pace * weights[i] - part.seconds());
      double own = Math.min(1, part.share / SURE_SHARE);
      if (part.share < 1) {
        double rest = own == 0 ? expected : own * part.remaining() + (1 - own) * expected;
        (part.share > 0 ? running : waiting).add(rest);
      }
    }
    double[] free = new double[Math.max(1, workers)];
    running.forEach(each -> schedule(free, each));
    waiting.forEach(each -> schedule(free, each));
    return Arrays.stream(free).max().orElseThrow();
  }

  /**
   * Adds work to the worker that is free first.
   *
   * @param free the seconds until each worker is free
   */
  private static void schedule(double[] free, double seconds) {
    int first = 0;
    for (int i = 1; i < free.length; i++) {
      first = free[i] < free[first] ? i : first;
    }
    free[first] += seconds;
  }
}
