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
  /** What comes past the page cache; a block that is in memory by other ways is not sought. */
  COLD,
  /** None: what was read once is in the page cache and in a mapping. */
  NONE;

  /**
   * Of a table.
   *
   * @param compressed if some of its blocks are
   * @param mapped if its file is read through a mapping
   * @param direct if blocks that are not in memory are read past the page cache
   */
  static Caching of(BlockCache cache, boolean compressed, boolean mapped, boolean direct) {
    if (!cache.enabled()) {
      return NONE;
    }
    if (compressed || !mapped) {
      return ALL;
    }
    return direct ? COLD : NONE;
  }
}
