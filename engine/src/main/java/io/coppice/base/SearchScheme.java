// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/**
 * In which order, and how many at once, a lookup asks the tables that may hold a key. Answers are
 * the same under all of them: the newest table that has the key decides, and only once all newer
 * ones have said that they have not.
 *
 * <p>Source: SifrDB, section 3.4, for the second and the third; the last is ours.
 */
public enum SearchScheme {
  /** One table after the other, newest first. */
  SERIAL,

  /**
   * A fixed number of blocks is read at once, newest tables first; the next one follows as an
   * answer comes in. Latency hardly depends on where the key lies; blocks behind it are read in
   * vain.
   */
  FIXED_COUNT,

  /**
   * The blocks of one level are read at once, eight at most, and more only if none of them has the
   * key. Nothing is read behind the batch that has it.
   */
  PRIORITY_AWARE,

  /**
   * Blocks that are in memory are searched one after the other. Others are read at once, as many as
   * pay for themselves by how busy the disk is and where keys were found lately.
   */
  ADAPTIVE
}
