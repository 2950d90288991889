// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

/**
 * Generator of popularity ranks by Zipf's law over a bounded set: rank k, from 1, has a probability
 * proportional to k^-s. Source: rejection-inversion (Hörmann, Derflinger, ACM TOMACS 6, 1996). It
 * needs no table, and little more than one random number per rank for any size and exponent.
 * Immutable.
 */
public final class Zipf {

  /**
   * Largest argument that {@link #logQuotient} and {@link #expQuotient} compute by their series.
   */
  private static final double SMALL = 1e-8;

  private final int size;
  private final double exponent;
  private final double highest;
  private final double lowest;
  private final double accepted;

  /**
   * Creates a generator of ranks.
   *
   * @param size number of ranks, at least 1
   * @param exponent s, above 0
   */
  public Zipf(int size, double exponent) {
    this.size = size;
    this.exponent = exponent;
    lowest = integral(1.5) - 1;
    highest = integral(size + 0.5);
    accepted = 2 - inverse(integral(2.5) - density(2));
  }

  /** Draws a rank from 0, the most popular, to the size of the set, exclusive. */
  public int draw(SimulationRandom draws) {
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

  /** Returns the integral of x^-exponent from 1 to x. */
  private double integral(double x) {
    double log = Math.log(x);
    return expQuotient((1 - exponent) * log) * log;
  }

  private double inverse(double area) {
    double t = Math.max(-1, area * (1 - exponent));
    return Math.exp(logQuotient(t) * area);
  }

  /** Returns log(1 + x) / x, also at 0. */
  private static double logQuotient(double x) {
    return Math.abs(x) > SMALL ? Math.log1p(x) / x : 1 - x / 2;
  }

  /** Returns (exp(x) - 1) / x, also at 0. */
  private static double expQuotient(double x) {
    return Math.abs(x) > SMALL ? Math.expm1(x) / x : 1 + x / 2;
  }
}
