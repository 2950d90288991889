// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.simulator.keys.Permutation;
import io.coppice.workload.UniformDraws;

/**
 * Key numbers with Zipf's distribution, the popular ones spread over the range. Source:
 * rejection-inversion (Hörmann, Derflinger: Rejection-inversion to generate variates from monotone
 * discrete distributions, 1996), which needs no table. Used by one thread.
 */
public final class ZipfDraws implements KeyDraws {

  private static final int BITS = 31;

  private final UniformDraws draws;
  private final Permutation spread;
  private final double exponent;
  private final int count;
  private final double atFirst;
  private final double atLast;
  private final double shortcut;

  /**
   * Creates a stream of numbers from 0 to {@code count}, exclusive.
   *
   * @param exponent exponent of Zipf's law, above 0
   */
  public ZipfDraws(long seed, int count, double exponent) {
    this.draws = new UniformDraws(seed, 1L << BITS);
    this.spread = new Permutation(count, 0);
    this.exponent = exponent;
    this.count = count;
    atFirst = integral(1.5) - 1;
    atLast = integral(count + 0.5);
    shortcut = 2 - inverse(integral(2.5) - density(2));
  }

  @Override
  public int next() {
    return spread.of(rank() - 1);
  }

  private int rank() {
    while (true) {
      double u = atLast + (draws.next() + 0.5) / (1L << BITS) * (atFirst - atLast);
      double x = inverse(u);
      int rank = (int) Math.min(count, Math.max(1, Math.round(x)));
      if (rank - x <= shortcut || u >= integral(rank + 0.5) - density(rank)) {
        return rank;
      }
    }
  }

  private double density(double x) {
    return Math.exp(-exponent * Math.log(x));
  }

  private double integral(double x) {
    double log = Math.log(x);
    double power = (1 - exponent) * log;
    return (Math.abs(power) > 1e-8 ? Math.expm1(power) / power : 1 + power / 2) * log;
  }

  private double inverse(double u) {
    double t = Math.max(-1, u * (1 - exponent));
    return Math.exp((Math.abs(t) > 1e-8 ? Math.log1p(t) / t : 1 - t / 2) * u);
  }
}
