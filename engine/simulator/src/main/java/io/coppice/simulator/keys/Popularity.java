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
  private final double deletes;
  private final double deletionWeight;

  private Popularity(boolean distinct, double[] keys, double[] chance) {
    this(distinct, keys, chance, 0, 0);
  }

  private Popularity(
      boolean distinct, double[] keys, double[] chance, double deletes, double deletionWeight) {
    this.distinct = distinct;
    this.keys = keys;
    this.chance = chance;
    this.deletes = deletes;
    this.deletionWeight = deletionWeight;
  }

  /**
   * Returns the classes of a workload over this many keys, at least 1, the most popular first.
   *
   * @param deletionWeight size of a deletion divided by that of an entry with a value
   */
  public static Popularity of(WriteWorkload workload, long keys, double deletionWeight) {
    Popularity all = of(workload, keys);
    return new Popularity(all.distinct, all.keys, all.chance, workload.deletes(), deletionWeight);
  }

  /** Returns the classes of a workload over this many keys, at least 1, without its deletions. */
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

  /** Returns the size of a deletion divided by that of an entry with a value. */
  double deletionWeight() {
    return deletionWeight;
  }

  /** Returns whether every key is written at most once. */
  public boolean distinct() {
    return distinct;
  }

  /** Returns the number of classes of keys. */
  public int classes() {
    return keys.length;
  }

  /** Returns whether some operations delete their key. */
  public boolean deletes() {
    return deletes > 0;
  }

  /**
   * Returns the length of an array of shares: those of the values of each class, then, if the
   * workload deletes, those of the deletions of each class.
   */
  public int shares() {
    return deletes() ? 2 * keys.length : keys.length;
  }

  /**
   * Returns the share of the keys of a class that have a value or a deletion as their present
   * entry.
   *
   * @param shares as {@link #shares} lays them out
   * @param c index of the class
   */
  public double held(double[] shares, int c) {
    return deletes() ? shares[c] + shares[c + keys.length] : shares[c];
  }

  /**
   * Returns how many keys have a value as their present entry.
   *
   * @param shares for each class, the share of its keys, as {@link #shares} lays them out
   */
  public double values(double[] shares) {
    double sum = 0;
    for (int c = 0; c < keys.length; c++) {
      sum += keys[c] * shares[c];
    }
    return sum;
  }

  /**
   * Returns how many keys have a deletion as their present entry.
   *
   * @param shares for each class, the share of its keys, as {@link #shares} lays them out
   */
  public double deletions(double[] shares) {
    double sum = 0;
    for (int c = keys.length; c < shares.length; c++) {
      sum += keys[c - keys.length] * shares[c];
    }
    return sum;
  }

  /**
   * Returns the size of all entries that a share of 1 stands for, in entries with values. It is the
   * number of keys of a class; for deletions, that number times the deletion weight.
   *
   * @param share index in an array of shares, below {@link #shares()}
   */
  public double keys(int share) {
    return share < keys.length ? keys[share] : keys[share - keys.length] * deletionWeight;
  }

  /** Returns the probability that an operation writes one given key of class {@code c}. */
  public double chance(int c) {
    return chance[c];
  }

  /**
   * Returns the shares of the keys that this many operations write at least once, as {@link
   * #shares} lays them out.
   */
  public double[] touched(double operations) {
    double[] shares = new double[shares()];
    for (int c = 0; c < keys.length; c++) {
      double touched =
          distinct
              ? Math.min(1, operations * chance[c])
              : -StrictMath.expm1(operations * StrictMath.log1p(-chance[c]));
      shares[c] = touched * (1 - deletes);
      if (deletes()) {
        shares[c + keys.length] = touched * deletes;
      }
    }
    return shares;
  }

  /**
   * Returns the size of all present entries, in entries with values.
   *
   * @param shares as {@link #shares} lays them out
   */
  public double entries(double[] shares) {
    double sum = 0;
    for (int c = 0; c < shares.length; c++) {
      sum += keys(c) * shares[c];
    }
    return sum;
  }
}
