// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

/**
 * What the filters of a store hold and did since it was opened. A value.
 *
 * @param bytes held in memory
 * @param loaded tables whose filter is in memory
 * @param absent tables whose filter lies only in the file
 * @param evictions filters that left memory to make room for others
 * @param rebuilt filters made anew from their tables when the store was opened
 */
public record FilterFigures(long bytes, int loaded, int absent, long evictions, long rebuilt) {

  /** Of a store without filters. */
  static final FilterFigures NONE = new FilterFigures(0, 0, 0, 0, 0);
}
