// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.step;

/**
 * Part of the free space that merges may count on. Plans and the steps that carry them out use the
 * same rules. If a plan counted on more, its steps would leave work undone, and the policy would
 * plan it again forever.
 */
public final class UsableFreeSpace {

  // Divisor of the safety margin: the files of small SSTables exceed their data by more than the
  // inputs suggest.
  private static final int MARGIN = 16;

  // Bytes of an SSTable beyond its nominal size: eight files, most of them one or two blocks.
  public static final long FILES_BYTES = 40 << 10;

  private UsableFreeSpace() {}

  /**
   * Returns the transient bytes, including the files of the step, that a step may have in {@code
   * freeBytes}.
   */
  public static long of(long freeBytes) {
    return freeBytes - freeBytes / MARGIN;
  }

  /**
   * Returns the smallest free space that lets a step have the needed transient bytes, see {@link
   * #of}.
   */
  public static long minFreeBytes(long neededBytes) {
    return neededBytes + neededBytes / (MARGIN - 1) + 1;
  }

  /**
   * Returns the bytes to reserve for a step with {@code peakBytes} transient bytes and its margin,
   * at most {@code freeBytes}.
   *
   * @param freeBytes the free space that was given to {@link #of} to choose the step
   */
  public static long bytesToReserve(long peakBytes, long freeBytes) {
    return Math.min(freeBytes, peakBytes + peakBytes / (MARGIN - 1));
  }

  /** Returns the extra bytes on disk of data that is written as SSTables of a given size. */
  public static long files(long bytes, long sstableBytes) {
    return FILES_BYTES * (1 + Math.min(bytes, Long.MAX_VALUE / 2) / Math.max(1, sstableBytes / 2));
  }

  /**
   * Returns the bytes that a plan may count on so that each of its steps stays within {@link #of};
   * 0 or less if the space is too small for any step.
   *
   * @param freeBytes the free space; {@link Long#MAX_VALUE} means no limit and is then the result
   * @param stepBytes the most bytes that a step reads, {@link Long#MAX_VALUE} for no bound
   * @param tableBytes the size of a step's outputs
   */
  public static long ofPlans(long freeBytes, long stepBytes, long tableBytes) {
    if (freeBytes == Long.MAX_VALUE) {
      return freeBytes;
    }
    long limit = of(freeBytes);
    return limit - files(Math.min(limit, stepBytes), tableBytes);
  }

  /**
   * Returns the smallest limit that lets two runs be merged.
   *
   * @param widestBytes the size of the largest SSTable
   * @param tableBytes the usual size of outputs
   */
  public static long floor(long widestBytes, long tableBytes) {
    long widest = Math.min(widestBytes, tableBytes + tableBytes / 2);
    long needed = 2 * widest + files(2 * widest, tableBytes) + FILES_BYTES;
    return minFreeBytes(needed);
  }

  /**
   * Returns the size of a step's outputs such that two of them fit a fixed limit: about a third of
   * the limit, at most half.
   *
   * @param stepBytes the bytes that the step reads
   * @param consumed the number of SSTables that the step consumes. The step writes more than that
   *     only if they would be larger than half of the limit
   * @param limitBytes a limit that {@link #of} returned
   * @param tableBytes the usual size of outputs
   */
  public static long outputs(long stepBytes, long consumed, long limitBytes, long tableBytes) {
    long third = part(limitBytes, 3);
    long half = part(limitBytes, 2);
    long wanted = Math.min(consumed, Math.round((double) stepBytes / third));
    long outputs = Math.max(Math.max(1, wanted), (stepBytes + half - 1) / half);
    return third >= tableBytes ? tableBytes : divided(stepBytes, outputs);
  }

  /**
   * Returns the size of each output of a step under {@code max_transient_space}. It is below {@code
   * tableBytes} only under a limit of a fixed number of bytes. A lack of disk space may be
   * temporary, and small outputs made for it would be rewritten without end.
   *
   * @param stepBytes the bytes that the step reads
   * @param consumed the number of SSTables that the step consumes
   * @param tableBytes the usual size of outputs
   */
  public static long outputs(
      long stepBytes, long consumed, TransientSpaceLimit limit, long tableBytes) {
    return limit.isFixed()
        ? Math.min(tableBytes, outputs(stepBytes, consumed, of(limit.bytes(0)), tableBytes))
        : tableBytes;
  }

  private static long divided(long bytes, long outputs) {
    return (bytes + outputs - 1) / outputs;
  }

  /**
   * Returns whether a merge of {@code bytes} bytes may write one SSTable, see {@link #outputs};
   * true if they exceed a table anyway.
   *
   * @param limitBytes a limit that {@link #of} returned
   */
  public static boolean joins(long bytes, long limitBytes, long tableBytes) {
    return outputs(bytes, 2, limitBytes, tableBytes) >= bytes || bytes > tableBytes;
  }

  /**
   * Returns the size of the outputs of a round that is not the last of its merge, so that a later
   * round has space to merge two of them. It is half of the limit without the margin and the cost
   * of files, at least twice the cost of files, and at most {@code tableBytes}.
   *
   * @param limitBytes a limit that {@link #of} returned
   */
  public static long halves(long limitBytes, long tableBytes) {
    return Math.min(tableBytes, part(limitBytes, 2));
  }

  /** Returns the limit without the cost of files and the margin, divided by a number of parts. */
  private static long part(long limitBytes, int parts) {
    long bytes = limitBytes - 4 * FILES_BYTES;
    return Math.max(2 * FILES_BYTES, (bytes - bytes / MARGIN) / parts);
  }
}
