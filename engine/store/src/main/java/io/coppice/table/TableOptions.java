// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.table.block.BlockLayout;
import io.coppice.table.block.LevelCompression;
import java.util.ArrayList;
import java.util.List;

/**
 * Format options of new tables; tables with any options can be read.
 *
 * @param blockBytes size of a block in bytes, before compression and with its trailer: it ends
 *     before it exceeds this, except if a single entry is larger. From {@value #MIN_BLOCK_BYTES} to
 *     {@value #MAX_BLOCK_BYTES}
 * @param restartInterval number of entries after which a key is stored in full; from 1 to 128
 * @param compression codec of each level
 * @param pages whether an uncompressed block gets a little padding if it then ends with a page of
 *     the file
 */
public record TableOptions(
    int blockBytes, int restartInterval, LevelCompression compression, boolean pages) {

  /** Smallest block size in bytes; with any real key a block then has a single entry. */
  public static final int MIN_BLOCK_BYTES = 32;

  /** Largest block size in bytes; a larger one would only slow down point lookups. */
  public static final int MAX_BLOCK_BYTES = 1 << 20;

  /**
   * Default options: blocks of 4 KiB, the operating system's page size, and a restart every 16
   * entries.
   */
  public static final TableOptions DEFAULT = new TableOptions(4096, 16);

  /** Creates options without compression. */
  public TableOptions(int blockBytes, int restartInterval) {
    this(blockBytes, restartInterval, LevelCompression.NONE, false);
  }

  /** Returns these options with other codecs. */
  public TableOptions with(LevelCompression other) {
    return new TableOptions(blockBytes, restartInterval, other, pages);
  }

  /** Returns these options with or without blocks that end with pages. */
  public TableOptions with(boolean other) {
    return new TableOptions(blockBytes, restartInterval, compression, other);
  }

  /**
   * Checks the ranges of both numbers.
   *
   * @throws IllegalArgumentException if a number is outside; the message names every fault
   */
  public TableOptions {
    List<String> faults = new ArrayList<>();
    if (blockBytes < MIN_BLOCK_BYTES || blockBytes > MAX_BLOCK_BYTES) {
      faults.add(
          "blockBytes (%s) must be from %s to %s"
              .formatted(blockBytes, MIN_BLOCK_BYTES, MAX_BLOCK_BYTES));
    }
    if (restartInterval < 1 || restartInterval > BlockLayout.MAX_RESTART_INTERVAL) {
      faults.add(
          "restartInterval (%s) must be from 1 to %s"
              .formatted(restartInterval, BlockLayout.MAX_RESTART_INTERVAL));
    }
    if (!faults.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", faults));
    }
  }
}
