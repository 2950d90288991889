// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

/**
 * Where the filter of a table lies in the file of filters, and how large it is. Persisted in the
 * manifest. A value.
 *
 * @param unit the first of the units it takes, or -1 if there is no filter
 * @param bits of a fingerprint: its size class; 0 if there is no filter
 * @param keys for which it is made; 0 if there is no filter
 */
public record FilterSlot(int unit, int bits, int keys) {

  /** A filter takes fewer units than it may have keys, so the last one has an int for a number. */
  static final int MAX_UNIT = Integer.MAX_VALUE - FilterShape.MAX_KEYS;

  /** Stands for a table without a filter. */
  public static final FilterSlot NONE = new FilterSlot(-1, 0, 0);

  /** Checks the ranges. */
  public FilterSlot {
    boolean none = unit == -1 && bits == 0 && keys == 0;
    boolean some =
        unit >= 0
            && unit <= MAX_UNIT
            && bits >= FilterShape.MIN_BITS
            && bits <= FilterShape.MAX_BITS
            && keys >= 1
            && keys <= FilterShape.MAX_KEYS;
    if (!none && !some) {
      throw new IllegalArgumentException(
          "no filter of " + bits + " bits for " + keys + " keys lies in unit " + unit);
    }
  }

  /** False if there is no filter. */
  public boolean exists() {
    return unit >= 0;
  }

  /** How its fingerprints lie; only if it exists. */
  FilterShape shape() {
    return FilterShape.of(keys, bits);
  }

  @Override
  public String toString() {
    return exists() ? "unit " + unit + ", " + bits + " bits for " + keys + " keys" : "none";
  }
}
