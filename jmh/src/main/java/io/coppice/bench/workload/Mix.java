// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.workload;

/**
 * Stateless hash of numbers (the finalizer of SplitMix64), the only source of randomness in this
 * package.
 */
public final class Mix {

  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private Mix() {}

  /** Returns a pseudorandom number, evenly distributed, that depends on the two arguments alone. */
  public static long of(long seed, long number) {
    long z = seed * 0xD1342543DE82EF95L + number * GOLDEN + GOLDEN;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Returns a number from 0 (inclusive) to a positive bound (exclusive). */
  public static long below(long bound, long seed, long number) {
    return Math.floorMod(of(seed, number) >>> 1, bound);
  }
}
