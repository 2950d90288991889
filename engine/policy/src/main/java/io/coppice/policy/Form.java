// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * What a policy costs in closed form at uniform updates, fitted to simulations of 32 to 977
 * flushes; {@code docs/policies/adaptive.md} has both side by side. Flushes are those that fill the
 * store, at least 2.
 */
sealed interface Form {

  /** Bytes that merges write for each byte flushed. */
  double merges(double flushes);

  /** Runs that hold a key's range, on average. */
  double runs(double flushes);

  /** Bytes on disk over bytes alive, at most. */
  double space();

  /** Growth 10: 15.5 in all at 977 flushes, six more for every tenfold. */
  record Leveled() implements Form {

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

  /** Leveled with merges of fewer than 12 tables put off, which saves about half of its merging. */
  record Delayed() implements Form {

    private static final Form BASE = new Leveled();

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

  /** A forest, and so tiered and grouped: each byte once a stage. */
  record Forest(int fanout) implements Form {

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

  /** At most k trees over a base, merged with it at x of its bytes. */
  record LazyBinomial(int trees, double ratio) implements Form {

    /** The bound of Bentley and Saxe lies so far above what was simulated. */
    private static final double BELOW_BOUND = 0.88;

    @Override
    public double merges(double flushes) {
      double rewrites = rewrites(Math.max(1, ratio * flushes)) * trees / (trees + 1);
      return BELOW_BOUND * (rewrites + 1 / ratio);
    }

    /** m at which C(m + k, k) reaches so many flushes, between whole numbers by their logarithm. */
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
