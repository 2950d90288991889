// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import io.coppice.io.BlockReader;
import io.coppice.io.ReadBatch;
import io.coppice.io.uring.AlignedMemory;

/**
 * Block reader that shares requests, pages and counts with a pool of threads, and leaves it the
 * reads that it does not carry out itself. Safe to share between threads.
 */
abstract class PoolBackedReader implements BlockReader, BlockReadBatch.Carrier {

  final PoolReader pool;

  PoolBackedReader(PoolReader pool) {
    this.pool = pool;
  }

  @Override
  public final ReadBatch newBatch() {
    return new BlockReadBatch(this);
  }

  @Override
  public final int inFlight() {
    return pool.inFlight();
  }

  @Override
  public final void alone(int change) {
    pool.alone(change);
  }

  @Override
  public final boolean direct() {
    return pool.direct();
  }

  @Override
  public final DirectFiles pastCache() {
    return pool.pastCache();
  }

  @Override
  public final AlignedMemory pages() {
    return pool.pages();
  }

  @Override
  public final BlockReadRequest spare() {
    return pool.spare();
  }

  @Override
  public final void carryAgain(BlockReadRequest request) {
    pool.carry(request, request, 1);
  }
}
