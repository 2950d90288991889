// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.policies;

/**
 * Combinadic number system: every n is the sum of C(c_i, i) over i = 1..k for exactly one ascending
 * sequence of digits c_1 &lt; c_2 &lt; … &lt; c_k. In a store, digit i is a tree of C(c_i, i)
 * units. Sources: Bentley and Saxe's k-binomial transform; Mao et al., VLDB Journal 2021.
 */
final class Combinadic {

  private Combinadic() {}

  /**
   * Returns C(n, i), or 0 for n below i. Too large results are {@link Double#POSITIVE_INFINITY}.
   */
  static double choose(long n, int i) {
    double product = 1;
    for (int j = 1; j <= i; j++) {
      product = product * (n - i + j) / j;
    }
    return product;
  }

  /**
   * Returns the digit of a tree: the c whose C(c, i) is nearest to its number of units. Tree sizes
   * only approximate binomials, because entries hide others and flushes differ in size.
   *
   * @param units bytes of the tree, divided by the bytes of a unit
   * @param i index of the digit, at least 1
   */
  static long digit(double units, int i) {
    long below = i - 1;
    long above = i;
    while (choose(above, i) <= units) {
      below = above;
      above = 2 * above - i + 1;
    }
    while (above - below > 1) {
      long middle = (below + above) >>> 1;
      if (choose(middle, i) <= units) {
        below = middle;
      } else {
        above = middle;
      }
    }
    return choose(above, i) - units < units - choose(below, i) ? above : below;
  }
}
