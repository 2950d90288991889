// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.filter;

/**
 * Metrics of a store's filters, counted since it was opened. A value.
 *
 * @param bytes off-heap bytes of the filters now
 * @param loaded tables with their filter in memory now
 * @param absent tables whose filter is only in the file now
 * @param evictions filters evicted to make room for others
 * @param rebuilt filters rebuilt from their tables when these were opened
 */
public record FilterTotals(long bytes, int loaded, int absent, long evictions, long rebuilt) {

  /** Metrics of a store without filters. */
  public static final FilterTotals NONE = new FilterTotals(0, 0, 0, 0, 0);
}
