// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.Arrays;

/**
 * How often two lookups drawn by chance have the same key: the sum of the squares of the keys'
 * shares (Simpson, 1949), told from the hashes of a few hundred lookups. Of n keys that come alike
 * often it is 1/n; under Zipf's law with an exponent near 1 the few hottest keys decide it,
 * whatever n is. So it tells heavy hitters without a table of them.
 *
 * @param pairs pairs of lookups looked at
 * @param equal pairs with equal hashes
 */
public record KeyPairs(long pairs, long equal) {

  /** Nothing seen. */
  public static final KeyPairs NONE = new KeyPairs(0, 0);

  /**
   * All pairs of so many hashes.
   *
   * @param hashes are left in another order
   * @param count how many of them count, from the first on
   */
  public static KeyPairs of(long[] hashes, int count) {
    Arrays.sort(hashes, 0, count);
    long equal = 0;
    long same = 0;
    for (int i = 1; i < count; i++) {
      same = hashes[i] == hashes[i - 1] ? same + 1 : 0;
      equal += same;
    }
    return new KeyPairs((long) count * (count - 1) / 2, equal);
  }

  /** Both together. */
  public KeyPairs plus(KeyPairs other) {
    return new KeyPairs(pairs + other.pairs, equal + other.equal);
  }
}
