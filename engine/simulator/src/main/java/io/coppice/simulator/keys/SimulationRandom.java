// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

/**
 * Stream of random numbers, identical on every JVM: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
 * Used by one thread.
 */
public final class SimulationRandom {

  private static final long GAMMA = 0x9e3779b97f4a7c15L;
  private static final double UNIT = 0x1.0p-53;

  private long state;

  public SimulationRandom(long seed) {
    state = seed;
  }

  /** Draws a uniform long. */
  public long next() {
    state += GAMMA;
    long z = state;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /**
   * Draws a uniform number from 0, inclusive, to {@code bound}, exclusive. The probability of a
   * number is off by about 2^-32.
   */
  public int below(int bound) {
    return (int) Math.multiplyHigh(next() >>> 1, (long) bound << 1);
  }

  /** Draws a uniform number from 0, inclusive, to 1, exclusive. */
  public double unit() {
    return (next() >>> 11) * UNIT;
  }
}
