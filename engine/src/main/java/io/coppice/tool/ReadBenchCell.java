// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import java.util.Random;

/**
 * What is asked of each way to read.
 *
 * @param clients threads that query at once
 * @param batch blocks of a query
 * @param hits true if one of the blocks, each as likely as the others, is the last one needed;
 *     false if all are needed
 */
record ReadBenchCell(int clients, int batch, boolean hits) {

  /** The block that ends a query; {@code batch} if none does. */
  int hit(Random random) {
    return hits ? random.nextInt(batch) : batch;
  }
}
