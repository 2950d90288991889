// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.cache;

/**
 * Capacity of the block cache and the way its blocks are read. Immutable.
 *
 * @param bytes capacity in off-heap bytes, {@link BlockCache#MIN_BYTES} to {@link
 *     BlockCache#MAX_BYTES}; 0 for no cache
 * @param direct whether blocks outside memory are read past the page cache, so that only this cache
 *     can keep them
 */
public record BlockCacheOptions(long bytes, boolean direct) {

  /** Options for no cache. */
  public static final BlockCacheOptions OFF = new BlockCacheOptions(0, false);

  /**
   * Checks the range of the capacity.
   *
   * @throws IllegalArgumentException if it is outside
   */
  public BlockCacheOptions {
    if (bytes != 0 && (bytes < BlockCache.MIN_BYTES || bytes > BlockCache.MAX_BYTES)) {
      throw new IllegalArgumentException(
          "bytes (%s) must be 0 or in %s..%s"
              .formatted(bytes, BlockCache.MIN_BYTES, BlockCache.MAX_BYTES));
    }
  }
}
