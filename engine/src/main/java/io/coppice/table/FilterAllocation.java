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
   * The bits of a fingerprint in each run.
   *
   * @param entries of each run, of which there is at least one
   * @param average bits of a fingerprint if all runs had as many; all together have no more
   * @return {@link FilterShape#MIN_BITS} to {@link FilterShape#MAX_BITS}, or 0 for no filter
   */
  int[] bits(long[] entries, int average) {
    int[] bits = new int[entries.length];
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
      if (fill(entries, Math.pow(2, middle), bits) <= most) {
        ample = middle;
      } else {
        scant = middle;
      }
    }
    double left = most - fill(entries, Math.pow(2, ample), bits);
    spend(left, entries, bits);
    // Filters have a least size; where that is in the way, sharing out evenly may be better.
    double passing = 0;
    for (int each : bits) {
      passing += rate(each);
    }
    if (passing > entries.length * rate(average)) {
      Arrays.fill(bits, average);
    }
    return bits;
  }

  /** Gives each run what is worth its price; returns the memory taken, in bits. */
  private static double fill(long[] entries, double price, int[] bits) {
    double taken = 0;
    for (int i = 0; i < entries.length; i++) {
      bits[i] = best(price * entries[i]);
      taken += (double) bits[i] * entries[i];
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

  /** What is left is less than the next step of some run; it goes where it saves most. */
  private static void spend(double memory, long[] entries, int[] bits) {
    double left = memory;
    while (true) {
      int best = -1;
      double most = 0;
      for (int i = 0; i < bits.length; i++) {
        double cost = (double) (next(bits[i]) - bits[i]) * entries[i];
        double saved = rate(bits[i]) - rate(next(bits[i]));
        if (saved > 0 && cost <= left && saved > most * Math.max(1, cost)) {
          most = saved / Math.max(1, cost);
          best = i;
        }
      }
      if (best < 0) {
        return;
      }
      left -= (double) (next(bits[best]) - bits[best]) * entries[best];
      bits[best] = next(bits[best]);
    }
  }

  private static int next(int bits) {
    return bits == 0 ? FilterShape.MIN_BITS : Math.min(FilterShape.MAX_BITS, bits + 1);
  }

  /** The share of absent keys that pass a filter. */
  static double rate(int bits) {
    return 1.0 / (1L << bits);
  }
}
