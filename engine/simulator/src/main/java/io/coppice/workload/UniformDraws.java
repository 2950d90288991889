// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.workload;

/**
 * Stream of uniform random numbers; splitmix64 (Steele, Lea, Flood: Fast Splittable PRNGs, 2014).
 * Used by one thread.
 */
public final class UniformDraws {

  private static final long GAMMA = 0x9E3779B97F4A7C15L;

  private final long bound;
  private long state;

  /**
   * Creates a stream of numbers from 0 to {@code bound - 1}; the bound is at most 2^31, which is
   * not checked.
   */
  public UniformDraws(long seed, long bound) {
    this.state = mix(seed);
    this.bound = bound;
  }

  /** Returns the next number, from 0 to {@code bound - 1}. */
  public long next() {
    state += GAMMA;
    return ((mix(state) >>> 32) * bound) >>> 32;
  }

  /** Returns a pseudo-random image of a number; different numbers have different images. */
  public static long mix(long value) {
    long x = value;
    x = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
    x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
    return x ^ (x >>> 31);
  }
}
