// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.filter;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Distribution of filter memory over the runs of a family. */
public enum FilterAllocation {
  /** The same number of bits for every key. */
  UNIFORM,

  /**
   * More bits for the keys of small runs than for those of large ones. A lookup of an absent key
   * then reads the fewest blocks for the same memory. The optimal false-positive rate of a run is
   * proportional to its size, min(1, λ·size). Source: Dayan, Athanassoulis, Idreos, "Monkey:
   * Optimal Navigable Key-Value Store" (2017).
   */
  MONKEY;

  /**
   * Returns the allocation with a name; {@link #UNIFORM} if the name is unknown.
   *
   * @param errors receives one message if the name is unknown
   */
  public static FilterAllocation parse(String name, List<String> errors) {
    for (FilterAllocation known : values()) {
      if (known.toString().equals(name)) {
        return known;
      }
    }
    errors.add("filterAllocation (" + name + ") must be uniform or monkey");
    return UNIFORM;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Largest binary logarithm of the inverse price of a bit, in false positives: enough for rates
   * from 2^-16 on and runs of up to 2^60 entries.
   */
  private static final int MAX_LOG = 80;

  private static final int BISECTIONS = 50;

  /**
   * Returns the fingerprint bits of each run, on average over its tables.
   *
   * @param entries entries of each run; there is at least one run
   * @param average fingerprint bits of each key if all runs had the same; the memory of all runs
   *     stays within it
   * @return one number per run, in their order: {@link FilterGeometry#MIN_BITS} to {@link
   *     FilterGeometry#MAX_BITS}, or 0 for no filter; a fraction means that tables get one of the
   *     two neighboring sizes
   */
  public double[] bits(long[] entries, int average) {
    double[] bits = new double[entries.length];
    if (this == UNIFORM || average == 0) {
      Arrays.fill(bits, average);
      return bits;
    }
    double most = 0;
    for (long run : entries) {
      most += (double) average * run;
    }
    // Bounds of the logarithm of the price: the rate that one bit of memory must save.
    double scant = -MAX_LOG;
    double ample = 0;
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = (scant + ample) / 2;
      if (fill(entries, StrictMath.pow(2, middle), bits) <= most) {
        ample = middle;
      } else {
        scant = middle;
      }
    }
    double left = most - fill(entries, StrictMath.pow(2, ample), bits);
    spend(left, entries, bits);
    return better(bits, average);
  }

  /**
   * Gives each run the number of bits per key that is cheapest at a price. Returns the memory
   * taken, in bits.
   *
   * @param price false positives that one bit of memory must save
   */
  private static double fill(long[] entries, double price, double[] bits) {
    double taken = 0;
    for (int i = 0; i < entries.length; i++) {
      bits[i] = best(price * entries[i]);
      taken += bits[i] * entries[i];
    }
    return taken;
  }

  /**
   * Returns the cheapest number of bits per key if a false positive costs 1 and a bit costs {@code
   * price}.
   */
  private static int best(double price) {
    int best = 0;
    double least = 1;
    for (int bits = FilterGeometry.MIN_BITS; bits <= FilterGeometry.MAX_BITS; bits++) {
      double cost = rate(bits) + bits * price;
      if (cost < least) {
        least = cost;
        best = bits;
      }
    }
    return best;
  }

  /**
   * Spends remaining memory, in bits, on the steps to a next size that save most false positives
   * for their memory; the last step may be partial.
   */
  private static void spend(double memory, long[] entries, double[] bits) {
    double left = memory;
    while (left > 0) {
      int best = -1;
      double most = 0;
      for (int i = 0; i < bits.length; i++) {
        int now = (int) bits[i];
        if (now < FilterGeometry.MAX_BITS) {
          double saved = rate(now) - rate(next(now));
          double gain = saved / ((next(now) - now) * (double) Math.max(1, entries[i]));
          if (gain > most) {
            most = gain;
            best = i;
          }
        }
      }
      if (best < 0) {
        return;
      }
      int now = (int) bits[best];
      double cost = (next(now) - now) * (double) entries[best];
      bits[best] += (next(now) - now) * Math.min(1, left / cost);
      left -= cost;
    }
  }

  /** Falls back to the uniform distribution if the minimum filter size makes that better. */
  private static double[] better(double[] bits, int average) {
    double passing = 0;
    for (double each : bits) {
      int low = lower(each);
      double share = share(each);
      passing += (1 - share) * rate(low) + share * rate(next(low));
    }
    if (passing > bits.length * rate(average)) {
      Arrays.fill(bits, average);
    }
    return bits;
  }

  /**
   * Returns the smaller of the two neighboring filter sizes whose mix has this average, in
   * fingerprint bits.
   */
  public static int lower(double bits) {
    return bits < FilterGeometry.MIN_BITS ? 0 : (int) bits;
  }

  /** Returns the next larger filter size in fingerprint bits, at most the maximum. */
  public static int next(int bits) {
    return bits == 0 ? FilterGeometry.MIN_BITS : Math.min(FilterGeometry.MAX_BITS, bits + 1);
  }

  /**
   * Returns the fraction of tables that get the larger of the two neighboring filter sizes, in [0,
   * 1).
   */
  public static double share(double bits) {
    int low = lower(bits);
    return low == FilterGeometry.MAX_BITS ? 0 : (bits - low) / (next(low) - low);
  }

  /** Returns the fraction of absent keys that pass a filter with these fingerprint bits. */
  static double rate(int bits) {
    return 1.0 / (1L << bits);
  }
}
