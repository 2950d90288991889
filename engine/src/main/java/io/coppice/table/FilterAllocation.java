// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How the memory for filters is shared out between the runs of a family. */
public enum FilterAllocation {
  /** Every key gets as many bits. */
  UNIFORM,

  /**
   * Keys of small runs get more bits than those of large ones, so that a lookup of an absent key
   * reads the fewest blocks for the same memory. The best false positive rate of a run is
   * proportional to its size, min(1, λ·size). Source: Dayan, Athanassoulis, Idreos, "Monkey:
   * Optimal Navigable Key-Value Store" (2017).
   */
  MONKEY;

  /**
   * The one of this name.
   *
   * @param errors gets a line if there is none
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

  /** Enough for rates from 2^-16 to 1 over sizes from 1 to 2^60. */
  private static final int MAX_LOG = 80;

  private static final int BISECTIONS = 50;

  /**
   * The bits of a fingerprint in each run, on average over its tables.
   *
   * @param entries of each run, of which there is at least one
   * @param average bits of a fingerprint if all runs had as many; all together have no more
   * @return {@link FilterShape#MIN_BITS} to {@link FilterShape#MAX_BITS}, or 0 for no filter; in
   *     between if tables are to have the one or the other
   */
  double[] bits(long[] entries, int average) {
    double[] bits = new double[entries.length];
    if (this == UNIFORM || average == 0) {
      Arrays.fill(bits, average);
      return bits;
    }
    double most = 0;
    for (long run : entries) {
      most += (double) average * run;
    }
    // The logarithm of what a bit of memory must save to be taken.
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

  /** Gives each run what is worth its price; returns the memory taken, in bits. */
  private static double fill(long[] entries, double price, double[] bits) {
    double taken = 0;
    for (int i = 0; i < entries.length; i++) {
      bits[i] = best(price * entries[i]);
      taken += bits[i] * entries[i];
    }
    return taken;
  }

  /** The bits that cost least, if a false positive costs 1 and a bit so much. */
  private static int best(double price) {
    int best = 0;
    double least = 1;
    for (int bits = FilterShape.MIN_BITS; bits <= FilterShape.MAX_BITS; bits++) {
      double cost = rate(bits) + bits * price;
      if (cost < least) {
        least = cost;
        best = bits;
      }
    }
    return best;
  }

  /** Spends what is left on the steps that save most for their memory, on the last one in part. */
  private static void spend(double memory, long[] entries, double[] bits) {
    double left = memory;
    while (left > 0) {
      int best = -1;
      double most = 0;
      for (int i = 0; i < bits.length; i++) {
        int now = (int) bits[i];
        if (now < FilterShape.MAX_BITS) {
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

  /** Where the least size of a filter is in the way, sharing out evenly may be better. */
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

  /** The smaller of the two sizes that make up an average. */
  static int lower(double bits) {
    return bits < FilterShape.MIN_BITS ? 0 : (int) bits;
  }

  /** The next size. */
  static int next(int bits) {
    return bits == 0 ? FilterShape.MIN_BITS : Math.min(FilterShape.MAX_BITS, bits + 1);
  }

  /** The share of tables of the larger of the two sizes, from 0 to below 1. */
  static double share(double bits) {
    int low = lower(bits);
    return low == FilterShape.MAX_BITS ? 0 : (bits - low) / (next(low) - low);
  }

  /** The share of absent keys that pass a filter. */
  static double rate(int bits) {
    return 1.0 / (1L << bits);
  }
}
