// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.readbench;

import java.util.Random;

/**
 * Load with which each way to read is measured.
 *
 * @param clients concurrent query threads
 * @param batch blocks per query
 * @param hits whether a uniformly drawn block ends the query; if not, all blocks are needed
 */
record ReadBenchCell(int clients, int batch, boolean hits) {

  /** Draws the index of the block that ends a query, from 0; {@code batch} if none does. */
  int hit(Random random) {
    return hits ? random.nextInt(batch) : batch;
  }
}
