// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import java.util.ArrayList;
import java.util.List;

/**
 * What filters new tables get. Those of older tables stay as they are.
 *
 * @param bitsPerKey bits of memory for each key, from {@value #MIN_BITS} to {@value #MAX_BITS}, or
 *     0 for no filters
 * @param allocation how runs share the memory; the bits are those of the average key
 * @param seed makes the errors of different stores independent of each other
 */
public record FilterOptions(int bitsPerKey, FilterAllocation allocation, long seed) {

  /** About 3 % false positives. */
  public static final int MIN_BITS = 6;

  /** About 0.002 % false positives. */
  public static final int MAX_BITS = 20;

  /** No filters. */
  public static final FilterOptions OFF = new FilterOptions(0, 0);

  /** The same bits for every key. */
  public FilterOptions(int bitsPerKey, long seed) {
    this(bitsPerKey, FilterAllocation.UNIFORM, seed);
  }

  /** Checks the range; the message names every fault. */
  public FilterOptions {
    List<String> faults = new ArrayList<>();
    if (bitsPerKey != 0 && (bitsPerKey < MIN_BITS || bitsPerKey > MAX_BITS)) {
      faults.add(
          "bitsPerKey (" + bitsPerKey + ") must be 0 or from " + MIN_BITS + " to " + MAX_BITS);
    }
    if (!faults.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", faults));
    }
  }

  /** True if new tables have filters. */
  public boolean enabled() {
    return bitsPerKey > 0;
  }

  /**
   * The bits of a fingerprint for so many bits a key: filters of 40,000 keys have 1.2 places for
   * each, larger ones fewer.
   */
  static int fingerprintBits(int bitsPerKey) {
    return bitsPerKey * 5 / 6;
  }
}
