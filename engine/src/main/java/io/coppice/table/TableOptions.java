// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import java.util.ArrayList;
import java.util.List;

/**
 * The form of tables to be written; tables of any form are read.
 *
 * @param blockBytes a block is closed before it exceeds this; one entry may be larger. From {@value
 *     #MIN_BLOCK_BYTES} to {@value #MAX_BLOCK_BYTES}
 * @param restartInterval every so many entries a key is stored whole; from 1 to 128
 * @param compression of the tables of each level
 * @param pages whether a block that is not compressed is padded a little if it then ends with a
 *     page of the file
 */
public record TableOptions(
    int blockBytes, int restartInterval, Compression compression, boolean pages) {

  /** The smallest block size; one entry a block with any real key. */
  public static final int MIN_BLOCK_BYTES = 32;

  /** The largest block size; more would only lengthen a point lookup. */
  public static final int MAX_BLOCK_BYTES = 1 << 20;

  /** Blocks of 4 KiB, the page of the system, and a restart every 16 entries. */
  public static final TableOptions DEFAULT = new TableOptions(4096, 16);

  /** Without compression. */
  public TableOptions(int blockBytes, int restartInterval) {
    this(blockBytes, restartInterval, Compression.NONE, false);
  }

  /** The same form with this compression. */
  public TableOptions with(Compression other) {
    return new TableOptions(blockBytes, restartInterval, other, pages);
  }

  /** The same form with or without blocks that end with pages. */
  public TableOptions with(boolean other) {
    return new TableOptions(blockBytes, restartInterval, compression, other);
  }

  /** Checks the ranges; the message names every fault. */
  public TableOptions {
    List<String> faults = new ArrayList<>();
    if (blockBytes < MIN_BLOCK_BYTES || blockBytes > MAX_BLOCK_BYTES) {
      faults.add(
          "blockBytes ("
              + blockBytes
              + ") must be from "
              + MIN_BLOCK_BYTES
              + " to "
              + MAX_BLOCK_BYTES);
    }
    if (restartInterval < 1 || restartInterval > BlockLayout.MAX_RESTART_INTERVAL) {
      faults.add(
          "restartInterval ("
              + restartInterval
              + ") must be from 1 to "
              + BlockLayout.MAX_RESTART_INTERVAL);
    }
    if (!faults.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", faults));
    }
  }
}
