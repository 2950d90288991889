// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.filter;

/**
 * Position and size of a table's filter in the filter file. Persisted in the manifest. A value.
 *
 * @param unit index of the first unit of {@link FilterLayout#UNIT_BYTES}, or -1 if there is no
 *     filter
 * @param bits fingerprint bits, which are the filter's size class; 0 if there is no filter
 * @param keys number of keys; 0 if there is no filter
 */
public record FilterSlot(int unit, int bits, int keys) {

  /**
   * Largest first unit of a filter. A filter has fewer units than keys, so its last unit still fits
   * an int.
   */
  static final int MAX_UNIT = Integer.MAX_VALUE - FilterGeometry.MAX_KEYS;

  /** Slot of a table without a filter. */
  public static final FilterSlot NONE = new FilterSlot(-1, 0, 0);

  /**
   * Checks the ranges of all components.
   *
   * @throws IllegalArgumentException if they fit no filter and differ from {@link #NONE}
   */
  public FilterSlot {
    boolean none = unit == -1 && bits == 0 && keys == 0;
    boolean some =
        unit >= 0
            && unit <= MAX_UNIT
            && bits >= FilterGeometry.MIN_BITS
            && bits <= FilterGeometry.MAX_BITS
            && keys >= 1
            && keys <= FilterGeometry.MAX_KEYS;
    if (!none && !some) {
      throw new IllegalArgumentException(
          "no filter of " + bits + " bits for " + keys + " keys lies in unit " + unit);
    }
  }

  /** Returns whether there is a filter. */
  public boolean exists() {
    return unit >= 0;
  }

  /**
   * Returns the arrangement of the fingerprints. Only for an existing filter, because the
   * arrangement depends on the number of keys.
   */
  public FilterGeometry shape() {
    return FilterGeometry.of(keys, bits);
  }

  @Override
  public String toString() {
    return exists() ? "unit " + unit + ", " + bits + " bits for " + keys + " keys" : "none";
  }
}
