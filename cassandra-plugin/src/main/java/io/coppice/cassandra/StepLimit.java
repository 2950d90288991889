// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

/**
 * What merges may reckon with of the space that is free, the same for plans and for the steps that
 * carry them out: were a plan to count on more, its steps would leave what made it due, and it
 * would be made again for ever.
 */
final class StepLimit {

  // Small SSTables have more beside their data than the inputs that it is reckoned from.
  private static final int MARGIN = 16;

  // What an SSTable takes besides what its size says: eight files, most of them a block or two.
  static final long FILES_BYTES = 40 << 10;

  private StepLimit() {}

  /** By how much a step may fill the disk, its files included, where so much is free. */
  static long of(long freeBytes) {
    return freeBytes - freeBytes / MARGIN;
  }

  /**
   * What a step is taken to hold that fills the disk by so much: at most what was free when it was
   * chosen within {@link #of}.
   */
  static long held(long peakBytes, long freeBytes) {
    return Math.min(freeBytes, peakBytes + peakBytes / (MARGIN - 1));
  }

  /** What so many bytes take besides when they are written as SSTables of a size. */
  static long files(long bytes, long sstableBytes) {
    return FILES_BYTES * (1 + Math.min(bytes, Long.MAX_VALUE / 2) / Math.max(1, sstableBytes / 2));
  }

  /**
   * What a plan may reckon with so that each of its steps keeps to {@link #of}; 0 or less if there
   * is too little for any.
   *
   * @param stepBytes what a step reads at most, {@link Long#MAX_VALUE} for no bound
   * @param tableBytes the size of its outputs
   */
  static long ofPlans(long freeBytes, long stepBytes, long tableBytes) {
    if (freeBytes == Long.MAX_VALUE) {
      return freeBytes;
    }
    long limit = of(freeBytes);
    return limit - files(Math.min(limit, stepBytes), tableBytes);
  }
}
