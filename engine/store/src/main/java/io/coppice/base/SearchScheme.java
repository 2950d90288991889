// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/**
 * Order and parallelism of a lookup in the tables that may have a key. All schemes return the same
 * result: the newest table that has the key decides, once the lookup has found it in no newer one.
 *
 * <p>Source: SifrDB, section 3.4, for the second and third scheme; the last one is Coppice's own.
 */
public enum SearchScheme {
  /** One table after another, newest first. */
  SERIAL,

  /**
   * Keeps as many reads in flight as option {@code searchWidth} says, newest tables first; each
   * result starts the next read. Latency hardly depends on the position of the key; reads of older
   * blocks are wasted.
   */
  FIXED_COUNT,

  /**
   * The blocks of one level at once, in batches of at most eight, and the next batch only if none
   * of them has the key. Nothing older than the batch with the key is read.
   */
  PRIORITY_AWARE,

  /**
   * Blocks in memory one after another; others in parallel, as many as pay off given the load of
   * the disk and the positions of recent hits.
   */
  ADAPTIVE
}
