// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

/**
 * Which blocks of a table are worth a place in the block cache. A block that lies in a mapping, in
 * memory and uncompressed, is not: to copy and verify it there takes no longer than to find it in
 * the cache and to copy it from there.
 */
enum Caching {
  /** Every block: it is compressed, or read by a system call. */
  ALL,
  /** Blocks that have to come from the device. */
  COLD,
  /** None: a block that was read once is in the page cache and in a mapping. */
  NONE;

  /**
   * Of a table.
   *
   * @param compressed if some of its blocks are
   * @param mapped if its file is read through a mapping
   * @param cold if blocks that are not in memory have a place in the cache: they are read past the
   *     page cache, or the cache holds memory since mappings were suspended
   */
  static Caching of(BlockCache cache, boolean compressed, boolean mapped, boolean cold) {
    if (!cache.enabled()) {
      return NONE;
    }
    if (compressed || !mapped) {
      return ALL;
    }
    return cold ? COLD : NONE;
  }
}
