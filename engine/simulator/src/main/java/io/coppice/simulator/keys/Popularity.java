// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

/**
 * Keys of a workload, divided into classes of similar popularity. For {@code ZIPF} a class holds
 * keys with neighboring popularity ranks, and each class spans about the same ratio of ranks. The
 * other workloads have one class. Immutable.
 *
 * <p>The keys of a class count as equally likely. Source: tier T1 of Coppice's simulator design.
 */
public final class Popularity {

  /** Most classes; half as many would change simulated amplifications by at most 0.1 %. */
  private static final int MAX_CLASSES = 64;

  /**
   * First rank for the Euler–Maclaurin formula, which is precise from there on; powers of lower
   * ranks are summed one by one.
   */
  private static final long EXACT_RANKS = 1 << 10;

  private final boolean distinct;
  private final double[] keys;
  private final double[] chance;

  private Popularity(boolean distinct, double[] keys, double[] chance) {
    this.distinct = distinct;
    this.keys = keys;
    this.chance = chance;
  }

  /** Returns the classes of a workload over this many keys, at least 1. */
  public static Popularity of(WriteWorkload workload, long keys) {
    return switch (workload.kind()) {
      case INSERT, SEQUENTIAL ->
          new Popularity(true, new double[] {keys}, new double[] {1.0 / keys});
      case UNIFORM_UPDATE -> new Popularity(false, new double[] {keys}, new double[] {1.0 / keys});
      case ZIPF -> zipf(workload.exponent(), keys);
    };
  }

  private static Popularity zipf(double exponent, long keys) {
    long[] ends = new long[MAX_CLASSES];
    int classes = 0;
    long begin = 1;
    while (begin <= keys) {
      // The remaining ranks are divided evenly, by ratio, among the remaining classes.
      double ratio = StrictMath.pow((keys + 1.0) / begin, 1.0 / (MAX_CLASSES - classes));
      long end =
          classes == MAX_CLASSES - 1 ? keys + 1 : Math.max(begin + 1, (long) (begin * ratio));
      ends[classes++] = Math.min(end, keys + 1);
      begin = ends[classes - 1];
    }
    double all = powers(1, keys + 1, exponent);
    double[] sizes = new double[classes];
    double[] chance = new double[classes];
    begin = 1;
    for (int c = 0; c < classes; c++) {
      sizes[c] = ends[c] - begin;
      chance[c] = powers(begin, ends[c], exponent) / all / sizes[c];
      begin = ends[c];
    }
    return new Popularity(false, sizes, chance);
  }

  /**
   * Returns the sum of rank^-exponent over the ranks from {@code begin}, inclusive, to {@code end},
   * exclusive.
   */
  static double powers(long begin, long end, double exponent) {
    double sum = 0;
    long rank = begin;
    for (; rank < Math.min(end, EXACT_RANKS); rank++) {
      sum += StrictMath.pow(rank, -exponent);
    }
    return rank == end ? sum : sum + tail(rank, exponent) - tail(end, exponent);
  }

  /**
   * Returns the sum of rank^-exponent over all ranks from {@code rank} on, up to a constant: the
   * negated antiderivative with the first two Euler–Maclaurin corrections. From rank 1024 on, the
   * next correction is below 1e-14 of a term.
   */
  private static double tail(double rank, double exponent) {
    double power = StrictMath.pow(rank, -exponent);
    double integral =
        Math.abs(exponent - 1) < 1e-9 ? -StrictMath.log(rank) : power * rank / (exponent - 1);
    return integral + power / 2 + exponent * power / rank / 12;
  }

  /** Returns whether every key is written at most once. */
  public boolean distinct() {
    return distinct;
  }

  int classes() {
    return keys.length;
  }

  /** Returns the number of keys of a class. */
  public double keys(int c) {
    return keys[c];
  }

  /** Returns the probability that an operation writes one given key of the class. */
  public double chance(int c) {
    return chance[c];
  }

  /**
   * Returns, for each class, the expected share of its keys that this many operations write at
   * least once.
   */
  public double[] touched(double operations) {
    double[] shares = new double[keys.length];
    for (int c = 0; c < shares.length; c++) {
      shares[c] =
          distinct
              ? Math.min(1, operations * chance[c])
              : -StrictMath.expm1(operations * StrictMath.log1p(-chance[c]));
    }
    return shares;
  }

  /**
   * Returns the number of keys that shares of all classes add up to.
   *
   * @param shares one share per class
   */
  public double entries(double[] shares) {
    double sum = 0;
    for (int c = 0; c < shares.length; c++) {
      sum += keys[c] * shares[c];
    }
    return sum;
  }
}
