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

  /** Returns the least free space in which {@link #of} lets a step fill the needed bytes. */
  static long least(long neededBytes) {
    return neededBytes + neededBytes / (MARGIN - 1) + 1;
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

  /**
   * Returns the least limit in which two runs can be merged.
   *
   * @param widestBytes the size of the largest SSTable
   */
  static long floor(long widestBytes, long tableBytes) {
    long widest = Math.min(widestBytes, tableBytes + tableBytes / 2);
    long needed = 2 * widest + files(2 * widest, tableBytes) + FILES_BYTES;
    return least(needed);
  }

  /**
   * Returns the size of the outputs of a step so that two of them fit a limit of a fixed number of
   * bytes: about a third of it, at most half.
   *
   * @param consumed how many SSTables go with the step; it makes more of them only where they would
   *     be larger than half
   * @param limitBytes as {@link #of} returns it
   */
  static long outputs(long stepBytes, long consumed, long limitBytes, long tableBytes) {
    long third = part(limitBytes, 3);
    long half = part(limitBytes, 2);
    long wanted = Math.min(consumed, Math.round((double) stepBytes / third));
    long outputs = Math.max(Math.max(1, wanted), (stepBytes + half - 1) / half);
    return third >= tableBytes ? tableBytes : divided(stepBytes, outputs);
  }

  private static long divided(long bytes, long outputs) {
    return (bytes + outputs - 1) / outputs;
  }

  /** Returns whether {@link #outputs} makes one SSTable of so many bytes. */
  static boolean joins(long bytes, long limitBytes, long tableBytes) {
    return outputs(bytes, 2, limitBytes, tableBytes) >= bytes || bytes > tableBytes;
  }

  /** Returns the size of outputs of which two fit a later round. */
  static long halves(long limitBytes, long tableBytes) {
    return Math.min(tableBytes, part(limitBytes, 2));
  }

  /** Without files, and without what an SSTable may have besides its data. */
  private static long part(long limitBytes, int parts) {
    long bytes = limitBytes - 4 * FILES_BYTES;
    return Math.max(2 * FILES_BYTES, (bytes - bytes / MARGIN) / parts);
  }
}
