// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/**
 * Draws ranks of popularity by Zipf's law over a bounded set: rank k, from 1, with a probability
 * proportional to k^-s. Rejection-inversion (Hörmann, Derflinger, ACM TOMACS 6, 1996): no table,
 * and little more than one draw a number for any size and exponent.
 */
final class Zipf {

  /**
   * Below this the quotients of {@link #logQuotient} and {@link #expQuotient} need their series.
   */
  private static final double SMALL = 1e-8;

  private final int size;
  private final double exponent;
  private final double highest;
  private final double lowest;
  private final double accepted;

  /**
   * A law.
   *
   * @param size ranks, at least 1
   * @param exponent s, above 0
   */
  Zipf(int size, double exponent) {
    this.size = size;
    this.exponent = exponent;
    lowest = integral(1.5) - 1;
    highest = integral(size + 0.5);
    accepted = 2 - inverse(integral(2.5) - density(2));
  }

  /** A rank from 0, the most popular, to the size, exclusive. */
  int draw(Draws draws) {
    while (true) {
      double area = highest + draws.unit() * (lowest - highest);
      double at = inverse(area);
      double rank = Math.max(1, Math.min(size, Math.rint(at)));
      if (rank - at <= accepted || area >= integral(rank + 0.5) - density(rank)) {
        return (int) rank - 1;
      }
    }
  }

  private double density(double x) {
    return Math.exp(-exponent * Math.log(x));
  }

  /** The integral of the density from 1 to x. */
  private double integral(double x) {
    double log = Math.log(x);
    return expQuotient((1 - exponent) * log) * log;
  }

  private double inverse(double area) {
    double t = Math.max(-1, area * (1 - exponent));
    return Math.exp(logQuotient(t) * area);
  }

  /** log(1 + x) / x, also at 0. */
  private static double logQuotient(double x) {
    return Math.abs(x) > SMALL ? Math.log1p(x) / x : 1 - x / 2;
  }

  /** (exp(x) - 1) / x, also at 0. */
  private static double expQuotient(double x) {
    return Math.abs(x) > SMALL ? Math.expm1(x) / x : 1 + x / 2;
  }
}
