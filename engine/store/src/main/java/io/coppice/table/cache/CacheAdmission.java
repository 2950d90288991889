// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.cache;

/**
 * Admission of a table's blocks to the block cache. Uncompressed blocks that are mapped and in
 * memory stay out: copying and verifying them is as fast as finding and copying them in the cache.
 */
public enum CacheAdmission {
  /** All blocks: they are compressed, or read with a system call. */
  ALL,
  /** Blocks that must be read from the device. */
  COLD,
  /** No blocks: after the first read a block is in the page cache and mapped. */
  NONE;

  /**
   * Returns the admission for a table.
   *
   * @param compressed whether some blocks are compressed
   * @param mapped whether the file is read through a mapping
   * @param cold whether the cache admits blocks that are not in memory: they are read past the page
   *     cache, or the cache has held blocks of unmapped files
   */
  static CacheAdmission of(BlockCache cache, boolean compressed, boolean mapped, boolean cold) {
    if (!cache.enabled()) {
      return NONE;
    }
    if (compressed || !mapped) {
      return ALL;
    }
    return cold ? COLD : NONE;
  }
}
