// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

/**
 * What the block cache may take, and from where blocks come. Immutable.
 *
 * @param bytes the most that it takes of the memory, {@link BlockCache#MIN_BYTES} to {@link
 *     BlockCache#MAX_BYTES}; 0 for no cache
 * @param direct true if blocks that are not in memory are read past the page cache, so that only
 *     this cache can keep them
 */
public record BlockCacheOptions(long bytes, boolean direct) {

  /** No cache. */
  public static final BlockCacheOptions OFF = new BlockCacheOptions(0, false);

  /** Checks the range. */
  public BlockCacheOptions {
    if (bytes != 0 && (bytes < BlockCache.MIN_BYTES || bytes > BlockCache.MAX_BYTES)) {
      throw new IllegalArgumentException(
          "bytes ("
              + bytes
              + ") must be 0 or in "
              + BlockCache.MIN_BYTES
              + ".."
              + BlockCache.MAX_BYTES);
    }
  }
}
