// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

/**
 * Seeded permutation of the numbers from 0, inclusive, to n, exclusive, that needs no memory. It
 * applies invertible steps: multiplication by an odd number, addition, and shifted exclusive or.
 * They work on the least power of two that holds n, and are repeated until the result is below n.
 * Identical on every JVM. Immutable; safe to share between threads.
 */
public final class Permutation {

  private static final int ROUNDS = 3;

  private final int size;
  private final long mask;
  private final int shift;
  private final long[] factors = new long[ROUNDS];
  private final long[] offsets = new long[ROUNDS];

  /**
   * Creates a seeded permutation.
   *
   * @param size n, at least 1
   * @param seed seed that selects the permutation
   */
  public Permutation(int size, long seed) {
    this.size = size;
    int bits = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(size - 1));
    mask = (1L << bits) - 1;
    shift = (bits + 1) / 2;
    SimulationRandom draws = new SimulationRandom(seed);
    for (int i = 0; i < ROUNDS; i++) {
      factors[i] = draws.next() | 1;
      offsets[i] = draws.next();
    }
  }

  /** Returns the image of a number from 0 to n, exclusive. */
  public int of(int number) {
    long at = number;
    do {
      for (int i = 0; i < ROUNDS; i++) {
        at = (at * factors[i] + offsets[i]) & mask;
        at ^= at >>> shift;
      }
    } while (at >= size);
    return (int) at;
  }
}
