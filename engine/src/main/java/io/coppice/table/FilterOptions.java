// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import java.util.ArrayList;
import java.util.List;

/**
 * The size of filters, alike for all tables of a store. A table with fewer keys than {@code
 * maxKeys} has a better filter than asked for, one with more a worse one.
 *
 * @param bitsPerKey from {@value #MIN_BITS} to {@value #MAX_BITS}, or 0 for no filters
 * @param maxKeys keys for which a slot has room, 1 to {@value #MAX_KEYS}
 * @param seed makes the errors of different stores independent of each other
 */
public record FilterOptions(int bitsPerKey, int maxKeys, long seed) {

  /** About 6 % false positives. */
  public static final int MIN_BITS = 6;

  /** About 0.1 % false positives; blocks of one cache line gain little beyond. */
  public static final int MAX_BITS = 20;

  /** A slot of the most bits is then 160 MiB, which one array holds. */
  public static final int MAX_KEYS = 1 << 26;

  /** The least bytes of an entry for which slots are laid out (SifrDB's setting is 123). */
  private static final long LEAST_ENTRY_BYTES = 100;

  /** No filters. */
  public static final FilterOptions OFF = new FilterOptions(0, 1, 0);

  /** Checks the ranges; the message names every fault. */
  public FilterOptions {
    List<String> faults = new ArrayList<>();
    if (bitsPerKey != 0 && (bitsPerKey < MIN_BITS || bitsPerKey > MAX_BITS)) {
      faults.add(
          "bitsPerKey (" + bitsPerKey + ") must be 0 or from " + MIN_BITS + " to " + MAX_BITS);
    }
    if (maxKeys < 1 || maxKeys > MAX_KEYS) {
      faults.add("maxKeys (" + maxKeys + ") must be from 1 to " + MAX_KEYS);
    }
    if (!faults.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", faults));
    }
  }

  /** Filters for tables that are cut at this size; bytes. */
  public static FilterOptions forTables(int bitsPerKey, long tableBytes, long seed) {
    long keys = Math.max(1, tableBytes / LEAST_ENTRY_BYTES);
    return new FilterOptions(bitsPerKey, (int) Math.min(MAX_KEYS, keys), seed);
  }

  /** True if tables have filters. */
  public boolean enabled() {
    return bitsPerKey > 0;
  }

  /** Bytes of the bits of one filter: whole lines. */
  int filterBytes() {
    long bits = (long) bitsPerKey * maxKeys;
    return (int) ((bits + Filter.LINE_BITS - 1) / Filter.LINE_BITS) * Filter.LINE_BYTES;
  }

  /**
   * Bits set for one key. The best for a plain Bloom filter is 0.69 a bit of memory; the uneven
   * load of lines moves it down a little.
   */
  int probes() {
    return Math.max(1, (int) Math.round(bitsPerKey * 0.6));
  }
}
