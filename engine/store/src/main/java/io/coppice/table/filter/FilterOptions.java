// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.filter;

import java.util.ArrayList;
import java.util.List;

/**
 * Filters of new tables. Filters of existing tables stay unchanged.
 *
 * @param bitsPerKey memory per key in bits, from {@value #MIN_BITS} to {@value #MAX_BITS}, or 0 for
 *     no filters
 * @param allocation distribution of the memory over the runs; {@code bitsPerKey} is the average
 *     over all keys
 * @param seed any number; it makes the false positives of different stores independent
 */
public record FilterOptions(int bitsPerKey, FilterAllocation allocation, long seed) {

  /** Smallest number of bits per key, with about 3 % false positives. */
  public static final int MIN_BITS = 6;

  /** Largest number of bits per key, with about 0.002 % false positives. */
  public static final int MAX_BITS = 20;

  /** Options for no filters. */
  public static final FilterOptions OFF = new FilterOptions(0, 0);

  /** Creates options that give every key the same bits. */
  public FilterOptions(int bitsPerKey, long seed) {
    this(bitsPerKey, FilterAllocation.UNIFORM, seed);
  }

  /**
   * Checks the range of the bits per key.
   *
   * @throws IllegalArgumentException if the number of bits is outside
   */
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

  /** Returns whether new tables get filters. */
  public boolean enabled() {
    return bitsPerKey > 0;
  }

  /**
   * Returns the fingerprint bits that the given bits of memory per key allow; 0 for 0. A filter of
   * 40,000 keys has 1.2 places per key; larger filters have fewer.
   */
  public static int fingerprintBits(int bitsPerKey) {
    return bitsPerKey * 5 / 6;
  }
}
