// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import java.util.Arrays;

/**
 * Frequency with which two random lookups have the same key: the sum of the squared probabilities
 * of the keys (Simpson, 1949), estimated from the hashes of a few hundred lookups. For n equally
 * frequent keys it is 1/n. Under Zipf's law with an exponent near 1, the few hottest keys determine
 * it for any n. It therefore reveals heavy hitters without a table of them.
 *
 * @param pairs pairs of lookups compared
 * @param equal pairs with equal hashes
 */
public record LookupSkew(long pairs, long equal) {

  /** Result of a comparison without any pair. */
  public static final LookupSkew NONE = new LookupSkew(0, 0);

  /**
   * Returns the result of comparing all pairs of the first {@code count} hashes.
   *
   * @param hashes lookup hashes; the method sorts the first {@code count}
   * @param count number of hashes to compare
   */
  public static LookupSkew of(long[] hashes, int count) {
    Arrays.sort(hashes, 0, count);
    long equal = 0;
    long same = 0;
    for (int i = 1; i < count; i++) {
      same = hashes[i] == hashes[i - 1] ? same + 1 : 0;
      equal += same;
    }
    return new LookupSkew((long) count * (count - 1) / 2, equal);
  }

  /** Returns a result with the pairs of this one and another. */
  public LookupSkew plus(LookupSkew other) {
    return new LookupSkew(pairs + other.pairs, equal + other.equal);
  }
}
