// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

/**
 * Amplification model of a policy: closed formulas for uniform updates, fitted to simulations of 32
 * to 977 flushes. {@code docs/policies/adaptive.md} compares formulas and simulations. The
 * parameter {@code flushes} is the number of flushes that fill the store, at least 2.
 * Implementations are immutable.
 */
public sealed interface AmplificationModel {

  /** Returns the bytes that merges write for each byte flushed. */
  double merges(double flushes);

  /** Returns the mean number of runs that overlap a key. */
  double runs(double flushes);

  /** Returns the largest ratio of bytes on disk to live bytes. */
  double space();

  /**
   * Leveled compaction with fanout 10: a write amplification of 15.5 at 977 flushes, plus six for
   * each factor of ten.
   */
  record Leveled() implements AmplificationModel {

    private static final double AT_977 = 14.5;
    private static final double A_DECADE = 6;

    @Override
    public double merges(double flushes) {
      return Math.max(1, AT_977 + A_DECADE * Math.log10(flushes / 977));
    }

    @Override
    public double runs(double flushes) {
      return 1.7 + 1.1 * Math.log10(flushes);
    }

    @Override
    public double space() {
      return 1.6;
    }
  }

  /**
   * Delayed compaction with {@code vct} 12, which saves about half of the merge work of leveled.
   */
  record Delayed() implements AmplificationModel {

    private static final AmplificationModel BASE = new Leveled();

    @Override
    public double merges(double flushes) {
      return 0.47 * BASE.merges(flushes);
    }

    @Override
    public double runs(double flushes) {
      return 1.65 * BASE.runs(flushes);
    }

    @Override
    public double space() {
      return 2.1;
    }
  }

  /** Split forest, and therefore also tiered and grouped: each byte is written once per stage. */
  record Forest(int fanout) implements AmplificationModel {

    @Override
    public double merges(double flushes) {
      return Math.log(flushes) / Math.log(fanout);
    }

    @Override
    public double runs(double flushes) {
      return (fanout - 1) / 2.0 * (1 + merges(flushes));
    }

    @Override
    public double space() {
      return 4.4;
    }
  }

  /**
   * Lazy binomial: at most {@code trees} trees over a base. A merge joins trees and base once the
   * trees have more than {@code ratio} times the bytes of the base.
   */
  record LazyBinomial(int trees, double ratio) implements AmplificationModel {

    /** Simulated bytes of merges, divided by the bound of Bentley and Saxe. */
    private static final double BELOW_BOUND = 0.88;

    @Override
    public double merges(double flushes) {
      double rewrites = rewrites(Math.max(1, ratio * flushes)) * trees / (trees + 1);
      return BELOW_BOUND * (rewrites + 1 / ratio);
    }

    /**
     * Returns the number of times that the transform rewrites a byte: the m whose C(m + k, k)
     * equals the number of flushes, interpolated by logarithm between whole numbers.
     */
    private double rewrites(double flushes) {
      double reached = 1;
      for (int m = 1; ; m++) {
        double next = reached * (m + trees) / m;
        if (next >= flushes) {
          return m - 1 + Math.log(flushes / reached) / Math.log(next / reached);
        }
        reached = next;
      }
    }

    @Override
    public double runs(double flushes) {
      return 1 + Math.min(0.7 * trees, ratio * flushes / 4);
    }

    @Override
    public double space() {
      return 1 + ratio;
    }
  }
}
