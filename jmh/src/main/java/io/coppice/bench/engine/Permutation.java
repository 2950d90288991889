// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

/** The numbers below a bound, each once, in an order that a seed decides. */
final class Permutation {

  private static final long FIRST_FACTOR = 0x9E3779B97F4A7C15L;
  private static final long SECOND_FACTOR = 0xBF58476D1CE4E5B9L;

  private final long bound;
  private final long mask;
  private final int half;
  private final long offset;

  /** Of the numbers from 0 to {@code bound - 1}; the bound is at least 1. */
  Permutation(long bound, long seed) {
    this.bound = bound;
    int bits = Math.max(2, Long.SIZE - Long.numberOfLeadingZeros(bound - 1));
    mask = (1L << bits) - 1;
    half = (bits + 1) / 2;
    offset = Draws.mix(seed);
  }

  /** The number at a place from 0 to {@code bound - 1}. */
  long at(long place) {
    // Each step can be undone, so walking on until the bound is met meets every number once.
    long number = place;
    do {
      number = (number * FIRST_FACTOR + offset) & mask;
      number ^= number >>> half;
      number = (number * SECOND_FACTOR) & mask;
      number ^= number >>> half;
    } while (number >= bound);
    return number;
  }
}
